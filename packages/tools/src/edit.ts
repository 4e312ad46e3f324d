import type { Tool } from '@longhaul/core';
import { EDIT_DIALECT } from './dialect/file-dialects.ts';
import { describeEdit } from './edit/describe-edit.ts';
import { readEditInput } from './edit/edit-input.ts';
import { planEdits, refusalFor } from './edit/plan-edits.ts';
import type { EditInput } from './edit/text-edit.ts';
import { toLineFeeds } from './edit/text-replacer.ts';
import { describeChange } from './file-patch.ts';
import { parseInput } from './input-parser.ts';
import { loadText } from './text-file.ts';
import { failedResult, reportRefusals } from './tool-result.ts';

export function createEditTool(): Tool<EditInput> {
  return {
    name: 'edit',
    aliases: EDIT_DIALECT.names,
    runsAlone: true,
    schema: {
      name: 'edit',
      description:
        'Replace text in a file. `old` must match exactly, including whitespace, and only once unless `all`. Omit the line numbers of read. Several replacements: `edits`.',
      parameters: {
        type: 'object',
        properties: {
          path: { type: 'string' },
          old: { type: 'string' },
          new: { type: 'string' },
          all: { type: 'boolean' },
          edits: { type: 'array', items: { type: 'object' }, description: '[{old, new, all}]' },
        },
        required: ['path'],
      },
    },
    parse: (value) => parseInput(value, EDIT_DIALECT, readEditInput),
    execute: (input, { sandbox: { toolFiles: files }, signal }) =>
      reportRefusals(async () => {
        const loaded = await loadText(files, input.path);
        if ('refusal' in loaded)
          return failedResult(
            loaded.isMissing ? `${loaded.refusal} To create a file, use write.` : loaded.refusal,
          );
        const { path, text: original } = loaded;
        const planned = await planEdits(original, input.edits);
        if ('refusal' in planned) return failedResult(refusalFor(path, planned.refusal));
        signal.throwIfAborted();
        await files.write(path, planned.text);
        const change = await describeChange(toLineFeeds(original), toLineFeeds(planned.text));
        return describeEdit(path, { ...planned, original, change });
      }),
  };
}
