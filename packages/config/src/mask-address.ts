/** Replaces the user name and password in an address. Returns other text unchanged. */
export function maskAddress(text: string): string {
  return text.replace(/^(https?:\/\/)[^/@]*@/, '$1********@');
}
