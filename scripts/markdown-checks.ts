const MAX_COLUMNS = 160;

/** Returns the numbers of the lines that should be wrapped. Tables and code cannot be. */
export function longLines(markdown: string): number[] {
  const numbers: number[] = [];
  for (const { line, number } of proseLines(markdown))
    if (line.length > MAX_COLUMNS && !line.startsWith('|')) numbers.push(number);
  return numbers;
}

/** Returns the anchors of the headings, as GitHub makes them. */
export function headingAnchors(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const { line } of proseLines(markdown)) {
    const [, heading] = /^#{1,6} (.+)$/.exec(line) ?? [];
    if (heading === undefined) continue;
    const anchor = anchorOf(heading);
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count += 1) unique = `${anchor}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}

function anchorOf(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

function proseLines(markdown: string): { line: string; number: number }[] {
  let isCode = false;
  return markdown.split('\n').flatMap((line, index) => {
    const isFence = /^\s*(?:```|~~~)/.test(line);
    if (isFence) isCode = !isCode;
    return isCode || isFence ? [] : [{ line, number: index + 1 }];
  });
}
