import { COMMAND_VARIABLE } from '../command-environment.ts';

/** The mark of the container's own processes, so that they never count as leftovers of a command. */
export const CONTAINER_MARK = 'container';

/*
 * Runs in the container, where only a POSIX shell is certain to exist: no ps, no pkill, no setsid. A process belongs to
 * a command if its environment contains the command's mark, whatever its session or parent. A process without any mark
 * has cleared its environment. If it also has no parent left, it is a leftover and is killed too.
 */
const SWEEP = `
slurp() {
  text=
  while IFS= read -r line || [ -n "$line" ]; do text=$text$line; done
}
sweep() {
  found=
  for folder in /proc/[0-9]*; do
    pid=\${folder#/proc/}
    [ "$pid" = 1 ] && continue
    [ "$pid" = $$ ] && continue
    text=
    slurp 2>/dev/null <"$folder/stat"
    state=\${text##*) }
    case $state in '' | Z* | X*) continue ;; esac
    parent=\${state#? }
    parent=\${parent%% *}
    text=
    slurp 2>/dev/null <"$folder/environ"
    case $text in
      *"${COMMAND_VARIABLE}=$1"*) ;;
      *${COMMAND_VARIABLE}=*) continue ;;
      *) [ "$parent" = 1 ] || continue ;;
    esac
    kill -s "$2" "$pid" 2>/dev/null && found=yes
  done
}
kill_all() {
  while sweep "$1" KILL; [ -n "$found" ]; do :; done
}
`;

/**
 * Arguments: the mark, the command. The shell's standard error is set aside and a subshell becomes the command, so that
 * the shell's own messages ("Killed") do not appear in the command's output. Exits with the command's exit code once no
 * process of the command is left.
 */
export const SUPERVISE_SCRIPT = `${SWEEP}
exec 3>&2 2>/dev/null
[ -d "$HOME" ] || mkdir -p "$HOME"
shell=sh
command -v bash >/dev/null && shell=bash
( export ${COMMAND_VARIABLE}="$1"; exec "$shell" -c "$2" 2>&3 3>&- )
code=$?
kill_all "$1"
exit $code
`;

/** Arguments: the mark, TERM or KILL. After KILL, no process of the command is left. */
export const SIGNAL_SCRIPT = `${SWEEP}
exec 2>/dev/null
case $2 in
  KILL) kill_all "$1" ;;
  *) sweep "$1" "$2" ;;
esac
`;
