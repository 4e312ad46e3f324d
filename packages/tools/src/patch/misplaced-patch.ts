import { readShellCall } from './patch-command.ts';

/** For a command that calls `apply_patch` as a program in a way that cannot be read with certainty. */
export const CALL_THE_TOOL =
  'apply_patch is a tool and not a program of the shell. Call the tool apply_patch with the whole patch, and give other commands to bash in a call of their own.';

const NAMES: ReadonlySet<string> = new Set(['apply_patch', 'applypatch']);
/** Words before the name of a program. */
const PREFIX =
  /^(?:[A-Za-z_]\w*=\S*|!|\{|\(|if|then|else|elif|do|while|until|time|exec|command|env|sudo|nohup|builtin)$/;

/** Whether a command would run a program `apply_patch`. The texts of quotes and here-documents are not commands. */
export function callsPatchProgram(command: string): boolean {
  const inner = readShellCall(command);
  if (inner !== undefined) return callsPatchProgram(inner);
  const parts = withoutTexts(command).split(/[;&|\n`]|\$\(/);
  return parts.some((part) => {
    const words = part
      .trim()
      .replace(/^\(+/, '')
      .split(/[\s<>)]+/);
    const program = words.find((word) => !PREFIX.test(word));
    return program !== undefined && NAMES.has(program);
  });
}

const HEREDOC_BODY = /(<<-?[ \t]*(['"]?)([A-Za-z_]\w*)\2[^\n]*\n)[\s\S]*?(?:\n?[ \t]*\3[ \t]*(?=\n|$)|$)/g;
const QUOTED = /'[^']*'|"(?:\\[\s\S]|[^"\\])*"/g;
const COMMENT = /(^|\s)#[^\n]*/g;

function withoutTexts(command: string): string {
  return command.replace(HEREDOC_BODY, '$1').replace(QUOTED, '_').replace(COMMENT, '$1');
}

/** Whether the output of a command shows that a shell did not find the program. */
export function missedPatchProgram(output: string): boolean {
  return /(?<![/\w])apply_?patch\W{0,2}: (?:(?:command )?not found|No such file)/.test(output);
}
