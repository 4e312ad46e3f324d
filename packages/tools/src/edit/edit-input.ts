import { isObject, type JsonObject, type JsonValue } from '@longhaul/protocol';
import { EDIT_DIALECT } from '../dialect/file-dialects.ts';
import { meantParameter } from '../dialect/tool-dialect.ts';
import type { InputFields } from '../input-parser.ts';
import { parseSearchReplace } from './search-replace.ts';
import type { EditInput, TextEdit } from './text-edit.ts';

const MAX_EDITS = 200;

/** Reads one replacement, several, or blocks of the form SEARCH/REPLACE. */
export function readEditInput(fields: InputFields): EditInput {
  refuseEditorCommand(fields);
  const path = fields.text('path');
  const edits = [...readSingle(fields), ...readList(fields), ...readDiff(fields)];
  if (edits.length > MAX_EDITS) fields.problem(`At most ${MAX_EDITS} edits are allowed in a call.`);
  return { path, edits: edits.slice(0, MAX_EDITS) };
}

/** What to call for the other commands of a text editor tool. */
const EDITOR_COMMANDS: Readonly<Record<string, string>> = {
  view: 'To see a file, call read; to see a folder, call list.',
  create: 'To create a file, call write with `path` and `content`.',
  insert: 'To insert lines, give the line before them as `old`, and it with the new lines as `new`.',
  undo_edit: 'An edit cannot be undone: make the opposite one.',
};

function refuseEditorCommand(fields: InputFields): void {
  const command = fields.optionalText('editorCommand');
  if (command === undefined || command === 'str_replace') return;
  const instead = Object.hasOwn(EDITOR_COMMANDS, command) ? EDITOR_COMMANDS[command] : undefined;
  if (instead !== undefined) fields.problem(`This tool has no command "${command}". ${instead}`);
  else fields.ignore('editorCommand');
}

function readSingle(fields: InputFields): TextEdit[] {
  const hasOthers = fields.value('edits') !== undefined || fields.value('diff') !== undefined;
  const isGiven = fields.value('old') !== undefined || fields.value('new') !== undefined;
  if (hasOthers && !isGiven) return [];
  const expected = fields.optionalInteger('expected', 1);
  return [
    {
      old: fields.text('old'),
      new: fields.text('new'),
      all: fields.flag('all') || (expected ?? 1) > 1,
      ...(expected !== undefined && expected > 1 && { expected }),
    },
  ];
}

function readList(fields: InputFields): TextEdit[] {
  const given = fields.value('edits');
  if (given === undefined || given === '') return [];
  const list = isObject(given) ? [given] : fields.list('edits');
  if (list.length === 0 && fields.value('old') === undefined) fields.problem('`edits` is empty.');
  return list.flatMap((item, index) => readItem(item, { index, fields }) ?? []);
}

function readItem(
  item: JsonValue,
  { index, fields }: { index: number; fields: InputFields },
): TextEdit | undefined {
  const given = isObject(item) ? underOwnNames(item) : {};
  const { old, new: replacement, all } = given;
  if (typeof old === 'string' && typeof replacement === 'string')
    return { old, new: replacement, all: all === true || all === 'true' };
  fields.problem(`\`edits[${index}]\` must be {old, new}, both texts.`);
  return undefined;
}

function underOwnNames(item: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(item).map(([key, value]) => [meantParameter(EDIT_DIALECT, key)?.name ?? key, value]),
  );
}

function readDiff(fields: InputFields): TextEdit[] {
  const diff = fields.optionalText('diff');
  if (diff === undefined || diff === '') return [];
  const blocks = parseSearchReplace(diff);
  if (typeof blocks !== 'string') return blocks;
  fields.problem(`\`diff\`: ${blocks}`);
  return [];
}
