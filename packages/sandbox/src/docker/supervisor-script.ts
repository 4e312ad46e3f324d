import { COMMAND_VARIABLE } from '../command-environment.ts';

/** What the container itself carries as mark, so that its own processes are nobody's leftovers. */
export const CONTAINER_MARK = 'container';

/*
 * Runs in the container, where only a POSIX shell is sure to be: no ps, no pkill, no setsid. A process belongs to a command when it
 * carries the command's mark in its environment, whatever session or parent it has. One that carries no mark has wiped its
 * environment; when it also has no parent left, it is a leftover of somebody, and goes too.
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
 * Arguments: the mark, the command. Standard error is kept aside, and a subshell becomes the command, so that this shell's own remarks
 * ("Killed") do not stand in the command's output. Ends with the command's exit code once nothing of it is
 * left.
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

/** Arguments: the mark, TERM or KILL. After KILL nothing of the command is left. */
export const SIGNAL_SCRIPT = `${SWEEP}
exec 2>/dev/null
case $2 in
  KILL) kill_all "$1" ;;
  *) sweep "$1" "$2" ;;
esac
`;
