import type { SkillSource, Tool } from '@longhaul/core';
import { cutLine, sanitizeText } from '@longhaul/core/tool-output';
import { SKILL_DIALECT } from './dialect/command-dialects.ts';
import { parseInput } from './input-parser.ts';
import { failedResult, textResult } from './tool-result.ts';

export interface SkillInput {
  name: string;
  file?: string | undefined;
}

/** Creates the tool that reads skills. It is for sessions with skills only. Its outputs are never pruned. */
export function createSkillTool(source: SkillSource): Tool<SkillInput> {
  return {
    name: 'skill',
    aliases: SKILL_DIALECT.names,
    isReadOnly: true,
    isProtected: true,
    schema: {
      name: 'skill',
      description: 'Read the instructions of a skill, or a file of its folder.',
      parameters: {
        type: 'object',
        properties: { name: { type: 'string' }, file: { type: 'string' } },
        required: ['name'],
      },
    },
    parse: (value) =>
      parseInput(value, SKILL_DIALECT, (fields) => ({
        name: fields.text('name').trim(),
        file: fields.optionalText('file')?.trim() || undefined,
      })),
    async execute({ name, file }) {
      if (name === 'list' && file === undefined) return textResult(listOf(source), { title: 'all skills' });
      const read = await source.read(name, file);
      if ('problem' in read) return failedResult(read.problem);
      const skill = source.skills.find((each) => each.name === name);
      const title = cutLine(file === undefined ? name : `${name}: ${file}`, 80);
      const text = sanitizeText(read.text);
      if (file !== undefined || skill === undefined) return textResult(text, { title });
      const place =
        skill.origin === 'project'
          ? `Its files are in ${skill.folder}.`
          : 'Read its files with this tool: it is outside of the workspace.';
      return textResult(`${text}\n\n[skill ${name}. ${place}]`, { title, metadata: { skill: name } });
    },
  };
}

function listOf({ skills }: SkillSource): string {
  return skills.map(({ name, description }) => `- ${name}: ${description}`).join('\n');
}
