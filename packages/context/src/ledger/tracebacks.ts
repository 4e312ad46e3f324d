/**
 * Returns a text without the frames of tracebacks: those of Python with their line of code, and those of JavaScript,
 * Java, Rust, Ruby and Go. The message of the error stays.
 *
 * The names in a frame are those of other files than the one that a call is about, and mostly of libraries.
 */
export function withoutTracebacks(text: string): string {
  if (!ANY_FRAME.test(text)) return text;
  const kept: string[] = [];
  let codeOfFrame = -1;
  for (const line of text.split('\n')) {
    const indent = indentOf(line);
    if (PYTHON_FRAME.test(line)) codeOfFrame = indent;
    else if (codeOfFrame >= 0 && indent > codeOfFrame) continue;
    else {
      codeOfFrame = -1;
      if (!FRAME.test(line)) kept.push(line);
    }
  }
  return kept.join('\n');
}

/** A frame of Python. The code that it ran follows, indented. */
const PYTHON_FRAME = /^\s{0,40}File "[^"\n]{1,400}", line \d+/;
const FRAME =
  /^(?:\s{1,40}at (?:.{1,400}[:(]\d+|[\w.$<>]{1,200}\(.{0,200}\)\s*$|\/)|\s{1,40}from .{1,300}:\d+:in |\t\/.{1,300}\.go:\d+ \+0x)/;
const ANY_FRAME = /^[^\S\n]{0,40}(?:File "|at |from |\/.{1,300}\.go:\d)/m;

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
