import { v7 } from 'uuid';

/** A new UUIDv7: ids ascend with time, also within a millisecond of one process. */
export function newId(): string {
  return v7();
}
