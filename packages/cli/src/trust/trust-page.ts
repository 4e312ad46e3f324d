import type { Danger, ProjectTrust, Want } from '@longhaul/config';
import { visibleLine } from '@longhaul/protocol';

/** The most dangerous last, directly before the question. */
const HEADINGS: readonly (readonly [Danger, string])[] = [
  ['access', 'Widens access or limits'],
  ['data', 'Sends data, or chooses who receives it'],
  ['code', 'Runs code, or changes where commands run'],
];

/**
 * Returns what a project's file wants: everything that trust would allow, in full, and the most dangerous last. Refused
 * settings come first, because trust does not allow them.
 */
export function trustPage(project: ProjectTrust): string {
  const { file, wants } = project;
  if (wants.length === 0) return `${visibleLine(file)} wants nothing that needs trust.\n`;
  const groups = HEADINGS.map(([danger, heading]) => ({
    heading,
    wants: wants.filter((want) => want.danger === danger && want.refusal === undefined),
  })).filter((group) => group.wants.length > 0);
  const lines = groups.flatMap(({ heading, wants }) => [`  ${heading}`, ...wants.flatMap(wantLines)]);
  const counts = groups.map(({ heading, wants }) => `${heading} (${wants.length})`);
  const summary = groups.length < 2 ? [] : [`In all: ${counts.join('; ')}`];
  return `${[`${visibleLine(file)} wants:`, ...refusedLines(wants), ...lines, ...summary].join('\n')}\n`;
}

function wantLines({ key, text, files, isTrusted }: Want): string[] {
  const name = `    ${visibleLine(key)}${isTrusted ? ' (trusted)' : ''}:`;
  const [first = '', ...more] = text.split('\n').map(visibleLine);
  const value = more.length === 0 ? [`${name} ${first}`] : [name, ...indented([first, ...more])];
  return [...value, ...indented(files.map(visibleLine))];
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `        ${line}`);
}

const REFUSED_SHOWN = 20;

function refusedLines(wants: readonly Want[]): string[] {
  const refused = wants.flatMap(({ key, refusal }) => (refusal === undefined ? [] : [{ key, refusal }]));
  if (refused.length === 0) return [];
  const shown = refused
    .slice(0, REFUSED_SHOWN)
    .map(
      ({ key, refusal }) =>
        `    ${visibleLine(shortened(key))} (refused: ${visibleLine(shortened(refusal))})`,
    );
  const more = refused.length - shown.length;
  return ['  Refused, even if you trust it', ...shown, ...(more === 0 ? [] : [`    and ${more} more`])];
}

const SHOWN_KEYS = 8;

/** Returns the line for settings that are ignored because they are not trusted, or refused even with trust. */
export function ignoredLine(
  { file, workspace, wants }: ProjectTrust,
  { isHere }: { isHere: boolean },
): string {
  const ignored = wants.filter(({ isTrusted }) => !isTrusted);
  const untrusted = namesOf(ignored.filter(({ refusal }) => refusal === undefined));
  const refused = namesOf(ignored.filter(({ refusal }) => refusal !== undefined));
  const command = `longhaul trust${isHere ? '' : ` '${workspace.replaceAll("'", "'\\''")}'`}`;
  const text =
    untrusted === ''
      ? `This is refused in ${workspace}, even if you trust it: ${refused}. To see the reason: ${command} --show`
      : `${file} is not trusted, so this is ignored: ${untrusted}.${refused === '' ? '' : ` This is refused, even if you trust it: ${refused}.`} To see and allow it: ${command}`;
  return `longhaul: ${visibleLine(text)}\n`;
}

function namesOf(wants: readonly Want[]): string {
  const keys = wants.map(({ key }) => shortened(key));
  const more = keys.length > SHOWN_KEYS ? `, and ${keys.length - SHOWN_KEYS} more` : '';
  return `${keys.slice(0, SHOWN_KEYS).join(', ')}${more}`;
}

const MAX_CHARS = 300;

/** Only for what has no effect: what takes effect is never cut. */
function shortened(text: string): string {
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}… (${text.length} characters)` : text;
}
