import { LonghaulError } from '@longhaul/protocol';

/**
 * Puts a text into the clipboard.
 *
 * @throws If the browser refuses it.
 */
export async function copyText(text: string): Promise<void> {
  // A page from another machine without https has no `navigator.clipboard`.
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  area.style.position = 'fixed';
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (!isCopied)
    throw new LonghaulError(
      'input_unsupported',
      'The browser did not allow copying. Select the text and copy it.',
    );
}
