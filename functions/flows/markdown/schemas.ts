import { z } from 'zod'

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
      .describe('The whole file, front matter included, as an export gives it.'),
  })
  .meta({ id: 'MarkdownFlow', examples: [{ markdown: exampleMarkdown }] })
export type MarkdownFlow = z.infer<typeof MarkdownFlow>

export const LineProblem = z
  .strictObject({
    line: z.int().min(1).describe('The line of the file, counted from 1.'),
    message: z.string().describe('What is wrong there, in plain words.'),
  })
  .meta({ id: 'LineProblem', examples: [{ line: 9, message: 'It leads to #queue, which is no node of this file' }] })

export const MarkdownCheck = z
  .strictObject({
    valid: z.boolean().describe('Whether it can be imported and would publish as it is.'),
    problems: z
      .array(LineProblem)
      .describe('All that is wrong, in the order of the file; of very many the first 200 and how many more there are.'),
  })
  .meta({
    id: 'MarkdownValidateResponse',
    examples: [{ valid: false, problems: [{ line: 9, message: 'It leads to #queue, which is no node of this file' }] }],
  })
