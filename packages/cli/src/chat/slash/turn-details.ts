import { plural } from '../../render/format.ts';
import { paintedDiff } from '../../render/painted-diff.ts';
import type { PickerDetails } from '../panels/picker-details.ts';
import type { SlashContext } from './slash-command.ts';

/** Lines of a diff that say less than those below them. A line of a file begins with a sign or a blank. */
const HEADERS = /^(?:diff --git|index|(?:new|deleted) file mode|(?:old|new) mode) .*\n/gm;

/** What a turn changed in the files: their number and lines for the list, and the diff. */
export async function turnDetails(
  target: string,
  { client, conversation, paint }: SlashContext,
): Promise<PickerDetails> {
  const { files, more = 0, diff } = await client.diff(conversation.requireId(), { target });
  if (files.length === 0) return { line: 'no file changed', preview: [] };
  const sum = (name: 'added' | 'removed') => files.reduce((total, file) => total + (file[name] ?? 0), 0);
  const line = `${plural(files.length + more, 'file')}, +${sum('added')} −${sum('removed')}`;
  const text = diff.replaceAll(HEADERS, '');
  return { line, preview: paintedDiff(text, paint).trimEnd().split('\n') };
}
