import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { shortText } from '../trust/short-text.ts';
import type { Want } from '../trust/wants.ts';
import type { FoundSkill } from './find-skills.ts';
import { parseSkill } from './parse-skill.ts';

/** What a skill of a workspace wants: to be offered to the model. Its id depends on the bytes of its `SKILL.md`. */
export type SkillWant = Omit<Want, 'isTrusted'>;

/** @param root The workspace, without symbolic links. */
export function skillWant({ name, folder, file }: FoundSkill, root: string): SkillWant {
  const path = relative(root, folder);
  const parsed = 'problem' in file ? file : parseSkill(file.bytes, name);
  const sha256 = 'problem' in file ? '' : file.sha256;
  const id = createHash('sha256')
    .update(JSON.stringify(['skill', folder, sha256]))
    .digest('hex');
  const base = { id, key: `skills.${name}`, danger: 'code' as const, folder: root };
  if ('problem' in parsed)
    return { ...base, text: path, files: [], refusal: `its SKILL.md ${parsed.problem}` };
  const text = shortText(parsed.description);
  return { ...base, text, files: [`${path}/SKILL.md ${sha256.slice(0, 12)}`] };
}
