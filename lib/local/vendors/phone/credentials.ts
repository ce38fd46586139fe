/** What the local gateways accept. */
export const phoneCredentials = {
  accountSid: `AC${'0'.repeat(32)}`,
  apiKeySid: `SK${'0'.repeat(32)}`,
  secret: 'local-phone-gateway',
  webhookSecret: `whsec_${Buffer.from('local phone gateway, 32 bytes!!!').toString('base64')}`,
} as const
