import { ownCopy } from '../own-copy.ts';
import { oneLine } from './one-line.ts';
import { withoutTracebacks } from './tracebacks.ts';

const ERROR_LINE =
  /error|fail|exception|cannot|not found|denied|refused|assert|expected|ambiguous|matches|malformed|ignored|conflict|fatal|unable|no such/i;
const EXIT_LINE = /^\W*exit(?:ed with)?[ _]?(?:code|status)\b/i;
/** The line after an expected value. */
const FOUND_LINE = /^\s*(?:got|received|actual|found)\b/i;
/** Longer lines are of generated files. */
const MAX_LINE_CHARS = 600;
const MESSAGE_CHARS = 200;

/** Names the cause itself: `TypeError: x is no function`, `src/a.ts(3,1): error TS2304: …`. */
const CAUSE = /(?:[A-Za-z]*(?:Error|Exception)(?: \[\w+\])?|\berror(?: TS\d+|\[\w+\])?|fatal|panic): *\S/;
/** Only names what failed: `FAIL src/a.test.ts`. */
const HEADER = /^\W*(?:FAIL(?:ED|URE)?|not ok|ERROR)\b/;
const TRACEBACK = 'Traceback (most recent call last)';

/** Returns the line that explains the failure best, with the place that it is about. */
export function errorLine(text: string): string {
  const lines = withoutTracebacks(text)
    .split('\n')
    .filter((line) => /\w/.test(line) && line.length <= MAX_LINE_CHARS && !NO_CAUSE.test(line));
  // The last cause of Python is the one that ended the program. Compilers begin with the one that leads to the others.
  const isCause = (line: string) => CAUSE.test(line);
  const cause = text.includes(TRACEBACK) ? lines.findLast(isCause) : lines.find(isCause);
  const message = oneLine(cause ?? tellingLine(lines), MESSAGE_CHARS);
  const place =
    PLACE.exec(message) === null
      ? lines.map((line) => (PLACE.exec(line) ?? FILE_LINE.exec(line))?.[1]).find(isText)
      : undefined;
  return ownCopy(place === undefined ? message : `${message} [${place}]`);
}

/** A tag, and what git advises. */
const NO_CAUSE = /^\s*<\/?\w+>\s*$|^hint:/;

function tellingLine(lines: readonly string[]): string {
  const index = lines.findIndex((line) => ERROR_LINE.test(line));
  const line = lines[index] ?? lines.findLast((each) => !EXIT_LINE.test(each)) ?? lines[0] ?? '';
  const next = lines.slice(index + 1).find((each) => !EXIT_LINE.test(each)) ?? '';
  const isJoined =
    index !== -1 && (FOUND_LINE.test(next) || ((HEADER.test(line) || line.endsWith(':')) && next !== ''));
  return isJoined ? `${line}; ${next.trim()}` : line;
}

const PLACE = /((?:[\w@.-]{1,80}\/){0,12}[\w@.-]{1,80}\.[A-Za-z]\w{0,7}(?::\d+(?::\d+)?|\(\d+(?:,\d+)?\)))/;

/** A file that a line is about, without a position in it. */
const FILE_LINE = /^(?:patching file '?|\W*FAIL(?:ED)? +)([^\s':]+\.\w+)/;

function isText(place: string | undefined): place is string {
  return place !== undefined;
}
