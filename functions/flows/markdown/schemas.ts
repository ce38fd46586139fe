import * as z from 'zod'

const exampleMarkdown = `---
name: Printer offline
type: troubleshooting
tags: [printer]
---

## Decision: Is its light green? {#light}

- Yes -> #queue
- No -> #cable

## Solution: Clear the print queue {#queue}

## Solution: Reseat the network cable {#cable}
`

export const MarkdownFlow = z
  .strictObject({
    markdown: z
      .string()
      .max(4 * 1024 * 1024)
      .describe('The whole file with its front matter, in the format of the export.'),
  })
  .meta({ id: 'MarkdownFlow', examples: [{ markdown: exampleMarkdown }] })
export type MarkdownFlow = z.infer<typeof MarkdownFlow>

export const LineProblem = z
  .strictObject({
    line: z.int().min(1).describe('Line number in the file, starting at 1.'),
    message: z.string().describe('What is wrong in that line.'),
  })
  .meta({
    id: 'LineProblem',
    examples: [{ line: 9, message: 'This link leads to #queue, which is not in this file' }],
  })

export const MarkdownCheck = z
  .strictObject({
    valid: z.boolean().describe('Whether the file can be imported and the flow then published unchanged.'),
    problems: z
      .array(LineProblem)
      .describe('The problems in the order of the file: the first 200, then the number of further ones.'),
  })
  .meta({
    id: 'MarkdownValidateResponse',
    examples: [
      {
        valid: false,
        problems: [{ line: 9, message: 'This link leads to #queue, which is not in this file' }],
      },
    ],
  })
