import * as z from 'zod'

export const ForeignFlow = z
  .strictObject({
    content: z
      .string()
      .min(1)
      .max(2 * 1024 * 1024)
      .describe('The whole file as the other tool exported it. YAML may have about 240,000 characters.'),
  })
  .meta({
    id: 'ForeignFlow',
    examples: [
      {
        content:
          '- name: Restart the web server\n  sequence:\n    commands:\n      - exec: systemctl restart nginx\n',
      },
    ],
  })
export type ForeignFlow = z.infer<typeof ForeignFlow>
