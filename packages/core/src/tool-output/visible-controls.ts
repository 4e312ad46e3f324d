/** C0 and C1 controls and DEL, without tab and line feed. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const ESCAPES = /\\u00([0189][0-9a-f]|7f)/gi;

/** Returns the text of a file with its control characters as escapes, such as `\u001b`. Line feeds and tabs stay. */
export function showControls(text: string): string {
  return text.replace(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The reverse of {@link showControls}. Other escapes stay as they are. */
export function readControls(text: string): string {
  return text.replace(ESCAPES, (written, code: string) => {
    const control = String.fromCharCode(Number.parseInt(code, 16));
    return showControls(control) === written.toLowerCase() ? control : written;
  });
}
