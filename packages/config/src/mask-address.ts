/** An address with what stands for a password in it replaced; any other text as it is. */
export function maskAddress(text: string): string {
  return text.replace(/^(https?:\/\/)[^/@]*@/, '$1********@');
}
