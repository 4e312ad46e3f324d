/** Makes a value when it is first asked for: a statement is prepared only by a program that uses it. */
export function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
