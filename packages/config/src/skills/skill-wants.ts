import { fileWant } from '../trust/file-want.ts';
import type { Want } from '../trust/wants.ts';
import type { FoundSkill } from './find-skills.ts';
import { parseSkill } from './parse-skill.ts';

/** What a skill of a workspace wants: to be offered to the model. */
export type SkillWant = Omit<Want, 'isTrusted'>;

/** @param root The workspace, without symbolic links. */
export function skillWant({ name, folder, file }: FoundSkill, root: string): SkillWant {
  const parse = (bytes: Uint8Array) => parseSkill(bytes, name);
  return fileWant({ kind: 'skill', name, path: folder, file, fileName: 'SKILL.md', parse }, root);
}
