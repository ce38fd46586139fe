const lineLength = 120
const textLength = 48
const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-([0-9a-f]{12})/g
const token = /[\w-]{32,}(\.[\w-]+)*/g

/** Shorten ids to their last four characters and hide every token. */
export function hideSecrets(text: string): string {
  return text.replace(uuid, (id) => `…${id.slice(-4)}`).replace(token, '…')
}

/** Format a value as JSON with short strings and without secrets. */
export function formatJson(value: unknown): string {
  const shorten = (_key: string, part: unknown) =>
    typeof part === 'string' ? cut(hideSecrets(part), textLength) : part
  const text = JSON.stringify(value, shorten, 1) ?? ''
  return text.replace(/\n */g, ' ').replace(/([{[]) | (?=[}\]])/g, '$1')
}

/** Format a request and its response as one line of at most 120 characters. */
export function formatRequest(method: string, path: string, status: number, value: unknown): string {
  return cut(`  ${method} ${hideSecrets(path)} ${status}  ${formatJson(value)}`.trimEnd(), lineLength)
}

/** Format a message as lines of at most 120 characters. */
export function formatMessage({ subject, text }: { subject: string; text: string }): string[] {
  return [subject, '', ...text.split('\n')].map((line) =>
    cut(`  | ${hideSecrets(line)}`.trimEnd(), lineLength),
  )
}

/** Cut a text to the length and mark the cut. */
export function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1).replace(/…$/, '')}…` : text
}
