import type { WorkspaceSkills } from '@longhaul/protocol/api';

/** Lists the skills of a workspace, and the folders that cannot be used as skills, for people. */
export function skillLines({ skills, problems }: WorkspaceSkills): string[] {
  if (skills.length + problems.length === 0)
    return [
      'There are no skills. A skill is a folder with a SKILL.md, such as .agents/skills/NAME/SKILL.md.',
    ];
  return [
    ...skills.map(({ name, description, origin }) => `  ${name} (${origin}): ${description}`),
    ...problems.map(({ name, folder, problem }) => `  ${name} cannot be used: ${problem} (${folder})`),
  ];
}
