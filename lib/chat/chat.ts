import type { Sent } from '../net/sent.ts'

/** A message to a channel: plain text as users wrote it, and where it leads. */
export interface ChatMessage {
  title: string
  body: string
  /** Absolute, or null when it leads nowhere. */
  url: string | null
}

export interface ChatPort {
  /** One attempt; redirects are not followed. The caller has asked the outbound guard. */
  send(tool: 1 | 2, webhookUrl: string, message: ChatMessage): Promise<Sent>
}

/** At most `max` characters, the last an ellipsis when something was cut; never half of a character. */
export function clip(text: string, max: number): string {
  const characters = Array.from(text)
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`
}
