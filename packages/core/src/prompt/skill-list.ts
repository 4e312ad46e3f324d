import type { Skill } from '../ports/skill-source.ts';

type ListedSkill = Pick<Skill, 'name' | 'description'>;

/** The list of skills gets a fifth of the room of an instruction file: two percent of the window. */
const SHARE = 0.2;
const DESCRIPTION_CHARS = [1_024, 240, 120, 60];

/**
 * Lists the skills for the system text: names and descriptions. If they do not fit, descriptions are cut, then skills
 * are left out, and the text says how many.
 *
 * @param maxChars Maximum characters of an instruction file. Default: no limit.
 */
export function skillList(skills: readonly ListedSkill[], maxChars = Number.POSITIVE_INFINITY): string {
  const allowed = maxChars * SHARE;
  const head = '# Skills\n\nBefore you begin work that one of these describes, read it with `skill`:';
  for (const chars of DESCRIPTION_CHARS) {
    const lines = skills.map((skill) => lineOf(skill, chars));
    if (lengthOf(lines) <= allowed) return [head, ...lines].join('\n');
  }
  const lines = skills.map((skill) => lineOf(skill, DESCRIPTION_CHARS.at(-1) ?? 0));
  while (lines.length > 1 && lengthOf(lines) > allowed) lines.pop();
  const left = skills.length - lines.length;
  const rest = `- and ${left} more: \`skill\` with the name \`list\` lists all.`;
  return [head, ...lines, ...(left === 0 ? [] : [rest])].join('\n');
}

function lineOf({ name, description }: ListedSkill, chars: number): string {
  const shown = description.length > chars ? `${description.slice(0, chars).trimEnd()}…` : description;
  return `- ${name}: ${shown}`;
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}
