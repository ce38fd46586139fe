import type { SessionRow } from '#rules/flows/session-row.ts'
import type { Markdown } from '#rules/markup/markdown.ts'

// A session as a report: all texts that an export shows, in their order. Every export format renders the same
// report.

export interface Fact {
  label: string
  value: string
  /** The address of a link. */
  href?: string
}
/** Supporting data: a text snippet or a screenshot. */
export interface Evidence {
  kind: 'text' | 'screenshot'
  title: string
  content: string
  /** The index of the image in the supporting data; null without an image. */
  image: number | null
  /** The name of who added it, if that is not the session's user. */
  by?: string
}
/**
 * The images of an export by their index in the supporting data. An image that is missing here is only named.
 */
export type ReportImages = ReadonlyMap<number, ReportImage>
/** A JPEG; its size is in pixels. */
export interface ReportImage {
  jpeg: Uint8Array
  width: number
  height: number
}
/** A section header of the flow. */
export interface ReportHeader {
  title: string
  /** Its placeholders are filled. */
  description: Markdown
}
export interface ReportFallback {
  title: string
  /** With who used it, if that is not the session's user. */
  outcome: string
  /** Whether it was answered with done. */
  isDone: boolean
  note: string
}
/** A step that the technician added during the session. */
export interface ReportCustomStep {
  title: string
  description: Markdown
  source: string
  /** The name of who added it, if that is not the session's user. */
  by?: string
}
/** The label of the fact that a ticket note leaves out when it is short. */
export const timeTaken = 'Time taken'

export interface ReportStep {
  /** The first step is `1`; the first step of its sub-flow is `1.1`. */
  number: string
  /** The section headers directly before the step. */
  headers: ReportHeader[]
  title: string
  /** Its placeholders are filled. */
  description: Markdown
  /**
   * The group, the planned duration, the script and the attachments of the step, and who answered it, if that is
   * not the session's user.
   */
  details: Fact[]
  /** Empty for a step without an answer. */
  answer: string
  /** Whether it was answered with done: not skipped, failed, unanswered, or a question. */
  isDone: boolean
  /** `5 min, 21 Nov 2026, 10:30` */
  durationAndTime: string
  note: string
  fallbacks: ReportFallback[]
  customSteps: ReportCustomStep[]
  evidence: Evidence[]
}
export interface Report {
  title: string
  /** Its placeholders are filled. */
  description: Markdown
  facts: Fact[]
  variables: Fact[]
  steps: ReportStep[]
  /** The current step of a session in progress; it has no answer yet. */
  pendingStep: ReportStep | null
  /** The closing text of a procedure whose steps are all answered, with the section headers before it. */
  end: (ReportHeader & { headers: ReportHeader[] }) | null
  /**
   * These three belong to a step without an answer, or to the whole session. Those of answered steps are in
   * `steps`.
   */
  fallbacks: ReportFallback[]
  customSteps: ReportCustomStep[]
  evidence: Evidence[]
  notes: string
  nextSteps: string
}

export interface SupportingDataRow {
  kind: 'text' | 'screenshot'
  title: string
  content: string | null
  step_id: string | null
  /** The session that it belongs to, if that is a sub-flow of the report's session. */
  session_id?: string
  /** Who added it. Not of evidence and approvals, because their answer and their text name the person. */
  user_id?: string
  user_name?: string | null
  /** Whether it is what a script printed. Its end says most. */
  is_output?: true
  /** The stored image of a screenshot. Sizes are in pixels, `size` is in bytes. */
  image: { key: string; width: number; height: number; size: number } | null
}

export interface ReportOptions {
  /** The index of the last decision to show. By default, all are shown. */
  lastDecision?: number | undefined
  /** The IANA time zone of all times. */
  timezone: string
  /** The names of the scripts that the flow refers to, by id. */
  scriptNames?: ReadonlyMap<string, string>
  /** The sessions of sub-flows at every level, oldest first. */
  subflows?: readonly SessionRow[]
}
