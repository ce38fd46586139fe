import type { Released } from '#rules/audience.ts'
import type { LabelledText } from '#rules/text/labelled-text.ts'
import type { SendResult } from '#vendors/net/send-result.ts'

/** A message to a channel, in plain text as users wrote it. */
export interface ChatMessage {
  title: string
  body: string
  /** An absolute URL, or null. */
  url: string | null
  /** Short texts, which are shown as a table. */
  facts?: readonly (LabelledText & { url?: string })[]
  /** Long texts, each under its label. */
  sections?: readonly LabelledText[]
  /** The label of a button that opens the URL. Without it there is only a link. */
  button?: { label: string; isUrgent: boolean }
  /** A second button, with an address of its own. */
  secondButton?: { label: string; url: string }
  /** Buttons that act for whoever presses them, where the tool tells who that was. */
  actions?: readonly ChatAction[]
}

/** The kinds of buttons that act, with their labels. */
export const chatActions = { claim: 'Claim', acknowledge: 'Acknowledge', approve: 'Approve' } as const
export type ChatActionKind = keyof typeof chatActions
export const chatActionKinds = Object.keys(chatActions) as [ChatActionKind, ...ChatActionKind[]]

export interface ChatAction {
  kind: ChatActionKind
  /** The id of the delivery whose message has the button. */
  deliveryId: string
}

/** What only the person who pressed a button sees. */
export interface ChatNotice {
  text: string
  link?: { label: string; url: string }
}

declare const escapedFor: unique symbol
/**
 * A text in the markup of a tool, in which what users wrote is escaped. A plain text does not compile in its
 * place.
 */
export type Escaped<Tool extends ChatTool> = string & { readonly [escapedFor]: Tool }

/**
 * The channels of chat, and the tool of each one's incoming webhook: 1 takes Slack blocks, 2 takes Adaptive
 * Cards as Microsoft Teams workflows do.
 */
export const toolByChannel = { chat1_webhook: 1, chat2_webhook: 2 } as const
export type ChatChannel = keyof typeof toolByChannel
export type ChatTool = (typeof toolByChannel)[ChatChannel]
export const chatChannels = Object.keys(toolByChannel) as [ChatChannel, ...ChatChannel[]]
export const chatTools = Object.values(toolByChannel)

export interface ChatPort {
  /** Send once and follow no redirect. The caller checks the URL with the outbound guard first. */
  send(tool: ChatTool, webhookUrl: string, message: Released<ChatMessage>): Promise<SendResult>
  /**
   * Answer a press of a button: change its message, or tell only the person who pressed. Slack takes up to five
   * answers within 30 minutes at the address that it sends with the press.
   */
  answerPress(responseUrl: string, answer: Released<PressAnswer>): Promise<SendResult>
}

export type PressAnswer = { message: ChatMessage } | { notice: ChatNotice }
