const MAX_CHARS = 160;

/** Shortens the description of a file for the list of what needs trust. The hash of the file is shown beside it. */
export function shortText(description: string): string {
  return description.length > MAX_CHARS ? `${description.slice(0, MAX_CHARS)}…` : description;
}
