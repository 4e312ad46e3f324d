import { isObject, parseJson, type RevertMark } from '@longhaul/protocol';
import type { MarkRow } from './log-rows.ts';
import { isSoundRow } from './row-checksum.ts';

/** Returns the reverts of mark rows, in their order, without damaged ones. */
export function soundReverts(rows: readonly MarkRow[]): RevertMark[] {
  return rows.flatMap((row) => {
    const mark = isSoundRow('marks', row) ? parseJson(row.body ?? '') : undefined;
    return isRevert(mark) ? [mark] : [];
  });
}

/** Loading zod takes 40 ms. These are the fields on which the live path depends. */
function isRevert(value: unknown): value is RevertMark {
  return isObject(value) && Number.isSafeInteger(value['at']) && Number.isSafeInteger(value['to']);
}
