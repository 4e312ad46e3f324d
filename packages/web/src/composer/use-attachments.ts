import { toLonghaulError } from '@longhaul/protocol';
import { useNotify } from '../ui/toasts.tsx';
import { useKeptState } from '../ui/use-kept-state.ts';
import { type Attachment, readAttachment, tooLarge } from './attachment.ts';

export interface Attachments {
  list: readonly Attachment[];
  add: (files: readonly File[]) => void;
  remove: (removed: readonly Attachment[]) => void;
}

/** The files of a draft. A file that cannot be attached is named in a toast, and the others are attached. */
export function useAttachments(draftKey: string): Attachments {
  const [list, setList] = useKeptState<readonly Attachment[]>(`attachments:${draftKey}`, []);
  const notify = useNotify();
  const refuse = (title: string) => notify({ kind: 'bad', title });
  const add = async (files: readonly File[]) => {
    const accepted: Attachment[] = [];
    for (const file of files) {
      const read = await readAttachment(file).catch((error: unknown) =>
        refuse(toLonghaulError(error).message),
      );
      const problem = read && tooLarge([...list, ...accepted, read]);
      if (problem !== undefined) refuse(`${file.name} is not attached. ${problem}`);
      else if (read !== undefined) accepted.push(read);
    }
    setList((before) => [...before, ...accepted]);
  };
  return {
    list,
    add: (files) => void add(files),
    remove: (removed) => setList((before) => before.filter((one) => !removed.includes(one))),
  };
}
