# Functions of the rules' shell commands. In a folder that is not the project's they are loaded by the
# first of these that a rule calls (project_files.shell_functions).

# logged LOG USAGE COMMAND...: LOG begins with the command; its output follows, and why it failed goes
# to the terminal as well. The command itself writes its versions and seed, and, if it succeeds, its
# time and memory to USAGE (workflow_scripts/usage.py).
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
    pasteable "$@" > "$log"
    STEP_USAGE="$usage" "$@" >> "$log" 2>&1 || status=$?
    rm -f "$running"
    [ "$status" = 0 ] || { tail -n +2 "$log" | tail -n 3 >&2; return 1; }
}

# shown LOG COMMAND...: what the command says goes to the terminal and to LOG
shown() {
    local log="$1"
    shift
    "$@" 2>&1 | tee "$log"
}

# pasteable COMMAND...: a line that runs the command in any shell, without the functions of this file
pasteable() {
    local word line="" quote="'" escaped="'\\''"
    if [ "$1" = on_gpu ]; then
        [ "$2" = 0 ] && line="CUDA_VISIBLE_DEVICES= " || line="$GPU_SLOTS $2 -- "
        shift 2
    fi
    for word; do
        [[ "$word" =~ ^[A-Za-z0-9_./:,+-][A-Za-z0-9_./:,+=-]*$ ]] ||
            word="$quote${word//$quote/$escaped}$quote"
        line+="$word "
    done
    echo "${line% }"
}

GPU_SLOTS="python -m workflow_scripts.runtime.gpu_slots --gpus"

# on_gpu N COMMAND...: with N GPUs of its own, with none for 0
on_gpu() {
    local gpus="$1"
    shift
    if [ "$gpus" = 0 ]; then
        CUDA_VISIBLE_DEVICES= "$@"
    elif [ "$1" = python ]; then
        shift
        command $GPU_SLOTS "$gpus" -- python $(forked) "$@"
    else
        command $GPU_SLOTS "$gpus" -- "$@"
    fi
}

# python -m MODULE...: in the fork server, where there is one (fork_server.py)
python() {
    command python $(forked) "$@"
}

# forked: the words before `-m MODULE...` that hand it to the fork server, none without one
forked() {
    [ ! -S "${FORK_SERVER:-}/socket" ] || echo -m workflow_scripts.runtime.fork_client
}
