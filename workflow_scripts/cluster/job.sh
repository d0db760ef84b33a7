# Functions of the rules' shell commands, which run in the workflow's folder.

# logged FILE COMMAND...: output goes to the file, why the command failed to the terminal as well
logged() {
    local log="$1"
    shift
    "$@" > "$log" 2>&1 || { tail -n 3 "$log" >&2; return 1; }
}

# on_gpu N COMMAND...: with N GPUs of its own, with none for 0
on_gpu() {
    local gpus="$1"
    shift
    if [ "$gpus" = 0 ]; then
        CUDA_VISIBLE_DEVICES= "$@"
    else
        python -m workflow_scripts.cluster.gpu_slots --gpus "$gpus" -- "$@"
    fi
}
