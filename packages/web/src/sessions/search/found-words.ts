export interface TextPiece {
  text: string;
  isFound: boolean;
}

/** Separates the words of a query from the text around them. */
export function foundWords(text: string, query: string): readonly TextPiece[] {
  const words = query
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .sort((a, b) => b.length - a.length);
  if (words.length === 0) return [{ text, isFound: false }];
  return text
    .split(new RegExp(`(${words.join('|')})`, 'iu'))
    .map((piece, index) => ({ text: piece, isFound: index % 2 === 1 }))
    .filter((piece) => piece.text !== '');
}
