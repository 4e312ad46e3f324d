import type { Locator, Page } from 'playwright-core';
import { DESKTOP, PHONE } from './page-bench.ts';

/** For `describe.each`: the widths at which every part of the page is driven. */
export const WIDTHS = [
  ['desktop', DESKTOP],
  ['phone', PHONE],
] as const;

export interface SmallFile {
  name: string;
  type: string;
  /** The bytes as base64. */
  data: string;
}

/** A red rectangle of 64 by 48 pixels. */
export const IMAGE: SmallFile = {
  name: 'red.png',
  type: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAEAAAAAwCAIAAAAuKetIAAAAQElEQVR42u3PQQkAAAgAsetfWiv4FQYrsKZeS0BAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEDgagGlwfSmsRz7tgAAAABJRU5ErkJggg==',
};

export function textFile(name: string, text: string): SmallFile {
  return { name, type: 'text/plain', data: Buffer.from(text).toString('base64') };
}

/** Drops files on the element of a selector, as a file manager does. */
export async function dropFiles(page: Page, selector: string, files: readonly SmallFile[]): Promise<void> {
  await giveFiles(page, {
    selector,
    files,
    events: `['dragenter', 'dragover', 'drop'].map((type) => new DragEvent(type, { dataTransfer: files, ...bubbles }))`,
  });
}

/** Pastes files into the element of a selector. */
export async function pasteFiles(page: Page, selector: string, files: readonly SmallFile[]): Promise<void> {
  await giveFiles(page, {
    selector,
    files,
    events: `[new ClipboardEvent('paste', { clipboardData: files, ...bubbles })]`,
  });
}

async function giveFiles(
  page: Page,
  { selector, files, events }: { selector: string; files: readonly SmallFile[]; events: string },
): Promise<void> {
  await page.locator(selector).waitFor();
  await page.evaluate(`{
    const files = new DataTransfer();
    for (const { name, type, data } of ${JSON.stringify(files)}) {
      const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
      files.items.add(new File([bytes], name, { type }));
    }
    const bubbles = { bubbles: true, cancelable: true };
    const element = document.querySelector(${JSON.stringify(selector)});
    for (const event of ${events}) element.dispatchEvent(event);
  }`);
}

/** The list of sessions. On a narrow screen, it is opened first. */
export async function openSide(page: Page): Promise<Locator> {
  const side = page.getByRole('navigation', { name: 'Sessions' });
  const button = page.getByRole('button', { name: 'Show sessions' });
  if (!(await side.isVisible()) && (await button.isVisible())) await button.click();
  await side.waitFor();
  return side;
}

/** Chooses an item of a session's menu, in the list or in the header. */
export async function chooseAction(where: Locator, title: string, item: string): Promise<void> {
  await where.getByRole('button', { name: `Actions for ${title}` }).click();
  await where.page().getByRole('menuitem', { name: item, exact: true }).click();
}

/** The article of a message, such as that of `m3`. */
export function messageAt(page: Page, sequence: number): Locator {
  return page.getByRole('article', { name: new RegExp(`message ${sequence}$`) });
}

/** What a person gets who pastes into the composer. The page itself may not read the clipboard. */
export async function clipboardText(page: Page): Promise<string> {
  const composer = page.getByLabel('Message', { exact: true });
  await composer.fill('');
  await composer.press('Control+v');
  const pasted = await composer.inputValue();
  await composer.fill('');
  return pasted;
}
