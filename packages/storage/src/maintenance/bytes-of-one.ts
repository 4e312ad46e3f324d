/** Returns, for the first session of each family, the bytes of the blobs that only this family references. */
export function bytesOfOne(
  names: ReadonlyMap<string, ReadonlySet<string>>,
  { blobs, firstOf }: { blobs: ReadonlyMap<string, number>; firstOf: ReadonlyMap<string, string> },
): Map<string, number> {
  const bytes = new Map<string, number>();
  for (const [id, sessions] of names) {
    const [first = '', ...others] = new Set([...sessions].map((session) => firstOf.get(session) ?? session));
    if (others.length === 0) bytes.set(first, (bytes.get(first) ?? 0) + (blobs.get(id) ?? 0));
  }
  return bytes;
}
