import type { Danger, ProjectTrust, Want } from '@longhaul/config';
import { visibleLine } from '../render/visible.ts';

const HEADINGS: readonly (readonly [Danger, string])[] = [
  ['code', 'Runs code, or changes where commands run'],
  ['data', 'Sends data, or chooses who receives it'],
  ['access', 'Widens access or limits'],
];

/** Returns what a project's file wants, the most dangerous first. Nothing in it can hide. */
export function trustPage(project: ProjectTrust): string {
  const lines = HEADINGS.flatMap(([danger, heading]) => {
    const wants = project.wants.filter((want) => want.danger === danger);
    return wants.length === 0 ? [] : [`  ${heading}`, ...wants.flatMap(wantLines)];
  });
  if (lines.length === 0) return `${visibleLine(project.file)} wants nothing that needs trust.\n`;
  return `${visibleLine(project.file)} wants:\n${lines.join('\n')}\n`;
}

function wantLines({ key, text, files, isTrusted, refusal }: Want): string[] {
  const state = refusal === undefined ? (isTrusted ? ' (trusted)' : '') : ` (refused: ${refusal})`;
  const used = files.map((file) => `        ${visibleLine(file)}`);
  return [`    ${visibleLine(`${key}: ${text}${state}`)}`, ...used];
}

const SHOWN_KEYS = 8;

/** Returns the line for settings that are ignored because the project is not trusted. */
export function ignoredLine(
  { file, workspace, wants }: ProjectTrust,
  { isHere }: { isHere: boolean },
): string {
  const keys = wants.filter(({ isTrusted }) => !isTrusted).map(({ key }) => key);
  const more = keys.length > SHOWN_KEYS ? `, and ${keys.length - SHOWN_KEYS} more` : '';
  const command = `longhaul trust${isHere ? '' : ` '${workspace.replaceAll("'", "'\\''")}'`}`;
  const names = `${keys.slice(0, SHOWN_KEYS).join(', ')}${more}`;
  return `longhaul: ${visibleLine(`${file} is not trusted, so this is ignored: ${names}. To see and allow it: ${command}`)}\n`;
}
