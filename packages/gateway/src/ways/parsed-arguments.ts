/** Returns the arguments of a call as an object. They were one before they became text, and a cut only shortens texts. */
export function parsedArguments(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return { text: input };
  }
}
