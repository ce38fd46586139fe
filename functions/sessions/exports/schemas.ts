import { z } from 'zod'

export const formats = ['markdown', 'text', 'html', 'ticket-note', 'pdf'] as const
export type Format = (typeof formats)[number]

export const ExportQuery = z.strictObject({
  format: z.enum(formats).optional().describe('What to write; when not given the preference `default_export_format`, or else markdown.'),
  max_step_index: z
    .string()
    .regex(/^\d{1,6}$/, 'Must be a whole number from 0')
    .transform(Number)
    .optional()
    .describe('Index of the last answered step that is shown, from 0.'),
  mask: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .describe('Whether addresses, e-mail addresses, keys and paths are hidden; when not given the preference `mask_exports`.'),
})
export type ExportQuery = z.infer<typeof ExportQuery>
