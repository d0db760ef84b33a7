# Functions of the rules' shell commands, which run in the workflow's folder.

# logged LOG USAGE COMMAND...: output goes to LOG, why the command failed to the terminal as well;
# a command that succeeds writes its own time and memory to USAGE (workflow_scripts/usage.py).
# A lock in the results folder is held for as long as a process of the command lives: a run that
# starts meanwhile, since this one's head was killed, waits for it (earlier_jobs.py)
logged() {
    local log="$1" usage="$2" status=0 folder="${RUN_RECORDS:-.snakemake}/running"
    local running="$folder/$HOSTNAME.$$"
    shift 2
    mkdir -p "$folder"
    # new ones: what a link of that name leads to is not written to
    rm -f "$running" "$log"
    set -o noclobber
    exec 9> "$running"
    set +o noclobber
    echo "$log" >&9
    flock --nonblock 9 2> /dev/null || true
    STEP_USAGE="$usage" "$@" > "$log" 2>&1 || status=$?
    rm -f "$running"
    [ "$status" = 0 ] || { tail -n 3 "$log" >&2; return 1; }
}

# on_gpu N COMMAND...: with N GPUs of its own, with none for 0
on_gpu() {
    local gpus="$1"
    shift
    if [ "$gpus" = 0 ]; then
        CUDA_VISIBLE_DEVICES= "$@"
    else
        command python -m workflow_scripts.runtime.gpu_slots --gpus "$gpus" -- "$@"
    fi
}

# python -m MODULE...: in the fork server of a local run, where there is one (fork_server.py)
python() {
    if [ -S "${FORK_SERVER:-}/socket" ]; then
        command python -m workflow_scripts.runtime.fork_client "$@"
    else
        command python "$@"
    fi
}
