import type { Contents } from '@longhaul/storage/maintenance';
import { plural } from '../render/format.ts';
import type { Check } from './check.ts';
import { problemList } from './problem-list.ts';

/** Describes the blobs that sessions name. */
export function describeBlobs({ blobs }: Pick<Contents, 'blobs'>, remedy: string): Check {
  const name = 'blobs';
  const { named, compared, missing, damaged, places } = blobs;
  const bad = missing.length + damaged.length;
  if (bad > 0)
    return {
      name,
      status: 'damaged',
      detail: `of ${plural(named, 'blob')}, ${missing.length} are missing and ${damaged.length} damaged: ${problemList(places)}`,
      remedy: `These sessions can still be used: the model is informed that the content is missing. ${remedy}`,
    };
  const how =
    compared === named ? 'all with the right hash' : `${compared} checked by their hash; --deep checks all`;
  return {
    name,
    status: 'ok',
    detail: named === 0 ? 'none yet' : `${plural(named, 'blob')}, none missing, ${how}`,
  };
}
