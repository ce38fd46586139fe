import * as z from 'zod'

export const MarkdownFlow = z
  .strictObject({
    markdown: z
      .string()
      .max(4 * 1024 * 1024)
      .describe('The whole file with its front matter, in the format of the export.')
      .meta({
        example:
          '---\nname: Printer offline\ntype: troubleshooting\ntags: [printer]\n---\n\n## Decision: Is its light green? {#light}\n\n- Yes -> #queue\n- No -> #cable\n\n## Solution: Clear the print queue {#queue}\n\n## Solution: Reseat the network cable {#cable}\n',
      }),
  })
  .meta({ id: 'MarkdownFlow' })
export type MarkdownFlow = z.infer<typeof MarkdownFlow>

export const LineProblem = z
  .strictObject({
    line: z.int().min(1).describe('Line number in the file, starting at 1.').meta({ example: 9 }),
    message: z
      .string()
      .describe('What is wrong in that line.')
      .meta({ example: 'This link leads to #queue, which is not in this file' }),
  })
  .meta({ id: 'LineProblem' })

export const MarkdownCheck = z
  .strictObject({
    valid: z.boolean().describe('Whether the file can be imported and the flow then published unchanged.'),
    problems: z
      .array(LineProblem)
      .describe('The problems in the order of the file: the first 200, then the number of further ones.'),
  })
  .meta({ id: 'MarkdownValidateResponse' })
