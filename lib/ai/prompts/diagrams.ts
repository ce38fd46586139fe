import { z } from 'zod'
import { deviceCategories } from '../../diagrams/schema.ts'
import type { Prompt } from '../ask.ts'

const text = (max: number) => z.string().trim().min(1).max(max)
const place = z.int().min(1).max(1200)

/** A network as devices and links; where they stand is worked out by us. */
export const diagramDraft = {
  name: 'diagram_draft',
  version: 1,
  instructions: `Read the network out of the description. devices: each device, service or site that it names, once, with its category and, in a word
or two, its kind; with drawn in the facts, only those that are not drawn yet, and a number of devices that are alike as so many devices. links: what
is connected to what; a drawn device is meant by its number, a new one by the count of drawn plus its place among the devices. Link only what the
description connects, or what it implies beyond doubt, such as clients to their switch. notes: what is unclear or was left out, for the technician.`,
  answer: z.strictObject({
    devices: z.array(z.strictObject({ name: text(200), category: z.enum(deviceCategories), kind: text(100) })).max(200),
    links: z.array(z.strictObject({ from: place, to: place, label: text(200).nullable() })).max(400),
    notes: z.string().trim().max(4000),
  }),
  maxTokens: 10_000,
} satisfies Prompt
export type DiagramDraftAnswer = z.infer<typeof diagramDraft.answer>
