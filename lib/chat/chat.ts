import type { SendResult } from '../net/send-result.ts'

/** A text with its label. The label is fixed; the text may be a user's. */
export interface LabelledText {
  label: string
  text: string
}

/** A message to a channel, in plain text as users wrote it. */
export interface ChatMessage {
  title: string
  body: string
  /** An absolute URL, or null. */
  url: string | null
  /** Short texts, which are shown as a table. */
  facts?: readonly LabelledText[]
  /** Long texts, each under its label. */
  sections?: readonly LabelledText[]
  /** The label of a button that opens the URL. Without it there is only a link. */
  button?: { label: string; isUrgent: boolean }
  /** A second button, with an address of its own. */
  secondButton?: { label: string; url: string }
}

/** The type of an incoming webhook: 1 takes Slack blocks, 2 takes Adaptive Cards as Microsoft Teams workflows do. */
export type ChatTool = 1 | 2

export interface ChatPort {
  /** Send once and follow no redirect. The caller checks the URL with the outbound guard first. */
  send(tool: ChatTool, webhookUrl: string, message: ChatMessage): Promise<SendResult>
}

/** Cut a text to `max` characters, the last one an ellipsis. Never split a character. */
export function clip(text: string, max: number): string {
  const characters = Array.from(text)
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`
}
