import * as z from 'zod'
import { deviceCategories } from '#rules/diagrams/schema.ts'
import type { Prompt } from '#vendors/ai/ask.ts'

const text = (max: number) => z.string().trim().min(1).max(max)
const deviceNumber = z.int().min(1).max(1200)

/**
 * Extract devices and links from the description of a network. The positions of the nodes are computed
 * afterwards.
 */
export const diagramDraft = {
  name: 'diagram_draft',
  version: 3,
  instructions: `Extract the network from the description in the facts. drawn in the facts lists the devices and links that the diagram
already has. The group of a device is the site, rack or room that it is in, which is listed itself.

devices: List each device, service or site that the description names exactly once. Leave out those that drawn already contains. List
several identical devices as separate entries, one for each device. Set category. Set kind to the kind of device in one or two words.
links: List which devices are connected. from and to are device numbers. A device in drawn has the number given there. The number of a new
device is the count of devices in drawn plus its position in devices, where the first position is 1. Add a link only if the description
states the connection or implies it beyond doubt, such as clients that are connected to their switch. Set label to a short text, or to
null.
notes: Tell the technician what is unclear and what you left out.`,
  answer: z.strictObject({
    devices: z
      .array(z.strictObject({ name: text(200), category: z.enum(deviceCategories), kind: text(100) }))
      .max(200),
    links: z
      .array(z.strictObject({ from: deviceNumber, to: deviceNumber, label: text(200).nullable() }))
      .max(400),
    notes: z.string().trim().max(4000),
  }),
  answerTokens: 10_000,
  effort: 'low',
} satisfies Prompt
export type DiagramDraftAnswer = z.infer<typeof diagramDraft.answer>
