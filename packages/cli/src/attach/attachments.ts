import type { UserMessageContentPart } from '@longhaul/protocol';
import type { TypedInput } from './attach-files.ts';

/** As `attachFiles`, which is loaded only for words that can name a file. */
export async function attachments(
  input: TypedInput | undefined,
  workspace: string,
): Promise<UserMessageContentPart[]> {
  if (input === undefined || (input.images.length === 0 && !input.text.includes('@'))) return [];
  const { attachFiles } = await import('./attach-files.ts');
  return attachFiles(input, workspace);
}
