import { cutMiddle } from '@longhaul/context/engine';
import {
  type AskingChild,
  isObject,
  type JsonValue,
  type Question,
  questionOf,
  visibleLine,
  visibleToApprove,
} from '@longhaul/protocol';
import { createHighlighter } from './code-highlighter.ts';
import { fileChange } from './file-change.ts';
import { createPaint, type Paint } from './paint.ts';

/** The limit of an argument such as a file's text. A command is never cut. */
const MAX_CHARS = 8_000;
/** With more lines, their number is printed at the end, where the person looks. */
const MANY_LINES = 15;

/**
 * Returns a whole call, indented, for a person to judge. Nothing can hide. Only the middle of a very long argument
 * other than a command is left out, with a note.
 */
export function approvalQuestion(
  { toolName, args, child }: { toolName: string; args: JsonValue; child?: AskingChild | undefined },
  paint: Paint = createPaint(false),
): string {
  const asks = child === undefined ? '' : `${paint.dim(askingChild(child))}\n`;
  return asks + wholeCall({ toolName, args }, paint);
}

/** Says that a child session asks, and not the session itself. */
function askingChild({ agent, title }: AskingChild): string {
  return `The subtask "${visibleLine(title)}" (${visibleLine(agent)}) asks:`;
}

function wholeCall({ toolName, args }: { toolName: string; args: JsonValue }, paint: Paint): string {
  const question = questionOf({ toolName, args });
  if (question !== undefined) return serverQuestion(question, paint);
  const lines = changedText(toolName, args, paint) ?? argumentLines(args, paint);
  const head = lines.length === 1 ? ` ${lines[0]}` : `\n    ${lines.join('\n    ')}`;
  const count = lines.length > MANY_LINES ? `\n  ${lines.length} lines, from "? ${toolName}" on.` : '';
  return `${paint.bold(`? ${visibleLine(toolName)}`)}${head}${count}\n`;
}

/** A question of a server, with a warning: the server chooses the words. */
function serverQuestion({ server, message }: Question, paint: Paint): string {
  const lines = visibleToApprove(cut(message)).split('\n');
  return `${paint.bold(`? The MCP server ${visibleLine(server)} asks`)}\n    ${lines.join('\n    ')}\n  The server gets what you type. Do not type passwords.\n`;
}

/** A change of one file as the lines that it removes and adds. Undefined for other calls. */
function changedText(
  toolName: string,
  args: JsonValue,
  paint: Pick<Paint, 'good' | 'bad'>,
): string[] | undefined {
  const change = fileChange(toolName, args);
  if (change === undefined) return undefined;
  const signed = (sign: '-' | '+', text: string, color: (line: string) => string) =>
    text === ''
      ? []
      : visibleToApprove(cut(text.replace(/\n$/, '')))
          .split('\n')
          .map((line) => color(`${sign} ${line}`));
  return [
    `path: ${visibleLine(change.path)}`,
    ...change.edits.flatMap(({ before, after, isEvery }, index) => [
      ...(index > 0 ? ['…'] : []),
      ...(isEvery ? ['at every place:'] : []),
      ...signed('-', before, paint.bad),
      ...signed('+', after, paint.good),
    ]),
  ];
}

/** A command alone is coloured. Nothing in it is dimmed: what looks like a comment may be none. */
function argumentLines(args: JsonValue, paint: Paint): string[] {
  const lines = visibleToApprove(argumentText(args)).split('\n');
  const isCommand = isObject(args) && typeof args['command'] === 'string' && Object.keys(args).length === 1;
  if (!isCommand) return lines;
  const code = createHighlighter('sh', { ...paint, dim: (text) => text });
  return lines.map((line) => code.line(line));
}

function argumentText(args: JsonValue): string {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return cut(JSON.stringify(args));
  const entries = Object.entries(args).map(([name, value]): [string, string] => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return [name, name === 'command' ? text : cut(text)];
  });
  const [only] = entries;
  if (entries.length === 1 && only !== undefined && typeof args[only[0]] === 'string') return only[1];
  return entries.map(([name, text]) => `${name}: ${text}`).join('\n');
}

function cut(text: string): string {
  return cutMiddle(text, MAX_CHARS).text;
}
