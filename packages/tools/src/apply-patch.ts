import type { Tool } from '@longhaul/core';
import { PATCH_DIALECT } from './dialect/file-dialects.ts';
import { isPatchModel } from './dialect/model-families.ts';
import { parseInput } from './input-parser.ts';
import { parsePatch } from './patch/parse-patch.ts';
import { readPatchCommand } from './patch/patch-command.ts';
import { PATCH_GRAMMAR } from './patch/patch-grammar.ts';
import { type PatchInput, runPatch } from './patch/run-patch.ts';

/** Creates the tool that models of some families know in place of `edit` and `write`. */
export function createApplyPatchTool(): Tool<PatchInput> {
  return {
    name: 'apply_patch',
    aliases: PATCH_DIALECT.names,
    runsAlone: true,
    standsIn: { tools: ['edit', 'write'], models: isPatchModel },
    schema: {
      name: 'apply_patch',
      description:
        'Create, change, move and delete files with a patch: *** Begin Patch, then *** Add File: / *** Update File: (then *** Move to:) / *** Delete File: and their lines, then *** End Patch. All or nothing.',
      parameters: {
        type: 'object',
        properties: { patch: { type: 'string' } },
        required: ['patch'],
      },
      freeform: { parameter: 'patch', syntax: 'lark', definition: PATCH_GRAMMAR },
    },
    parse: (value) =>
      parseInput(typeof value === 'string' ? { patch: value } : value, PATCH_DIALECT, (fields) => {
        const given = fields.text('patch');
        const command = readPatchCommand(given);
        const patch = command?.patch ?? given;
        const parsed = given === '' ? 'It is empty.' : parsePatch(patch);
        if (typeof parsed === 'string') fields.problem(parsed);
        return { patch, workdir: fields.optionalText('workdir') || command?.folder };
      }),
    execute: runPatch,
  };
}
