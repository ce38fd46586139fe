// Articles in the manner of vendors' support pages and of runbooks for clusters. A line with `[!]` is an
// instruction: a flow must reach it.

export const senseArticles: Record<string, string> = {
  'support page with methods': `# Mail client does not start

Original KB number: 4711

Applies to: Windows 11

## Symptoms

- The window closes at once.

## Method 1: Start without add-ins

1. Press Windows+R. [!]
2. Enter the command with the switch /safe. [!]

If the problem persists, go to the next method.

## Method 2: Repair the installation

1. Open the list of apps. [!]
2. Choose Modify, then Quick Repair. [!]

## More information

- See the list of switches.`,
  'methods without a sentence between them': `# Printer queue hangs

## Workaround 1

1. Stop the spooler. [!]
2. Delete the files of the queue. [!]

## Workaround 2

1. Install the driver again. [!]

## References

- [Manual](https://x.example/manual)`,
  'causes with resolutions': `# Sign-in is refused

## Symptoms

The page shows error 53003.

## Cause 1: A policy blocks the device

### Resolution

1. Open the policy. [!]
2. Add the device to the exceptions. [!]

## Cause 2: The clock is wrong

### Resolution

1. Compare the clock with the server. [!]
2. Synchronise it. [!]`,
  'causes beside their resolutions': `# Share cannot be opened

## Cause: The name is not resolved

The DNS server has no entry.

## Resolution

1. Add the entry. [!]

## Cause: The port is closed

Port 445 is blocked.

## Resolution

1. Open the port in the firewall. [!]`,
  'jump to a later step': `# No network

1. Look at the light of the port. If it is green, go to step 4. [!]
2. Change the cable. [!]
3. Try another port of the switch. [!]
4. Renew the address. [!]
5. Open a page. [!]`,
  'question with a branch that goes on': `# Disk is full

Is the partition larger than 100 GB?

- If yes, go to the next step.
- If no, order a larger disk. [!]

1. Delete the temporary files. [!]
2. Empty the bin. [!]`,
  'question for an unsolved problem': `# Shared mailbox missing

1. Open the list of folders. [!]
2. Restart the mail program. [!]

Still missing? Open a case with the vendor. [!]`,
  'last sentence contacts support': `# Update fails

1. Restart the computer. [!]
2. Run the troubleshooter. [!]

If the problem still occurs, contact support. [!]`,
  'last sentence goes on to nothing': `# Sound is missing

1. Choose the right device. [!]
2. Restart the audio service. [!]

If this does not help, try the next method.`,
  'metadata as a list': `# Certificate expires

- Applies to: all web servers
- Last updated: 3 May 2026
- Author: Team Edge

1. Request a new certificate. [!]
2. Install it. [!]`,
  'metadata alone before steps': `**Applies to:** Exchange

Last updated: 2026-05-03

1. Open the admin centre. [!]
2. Move the mailbox. [!]`,
  'sub-steps stay with their step': `# New laptop

1. Prepare the laptop: [!]
   1. Start it from the stick.
   2. Choose the image.
2. Join the domain. [!]`,
  'numbered sections are one way': `# Move a server

## Step 1: Announce the outage

1. Send the mail. [!]

## Step 2: Stop the service

1. Run the command: [!]

   \`\`\`sh
   systemctl stop web
   \`\`\`

## Step 3: Copy the data

1. Start the copy. [!]`,
  'alert with meaning and mitigation': `# NodeDiskFillsUp

## Meaning

The disk of a node will be full within a day.

## Impact

Pods are evicted.

## Diagnosis

- Look at the graph of the disk. [!]
- Find the largest directories:

  \`\`\`sh
  du -xh / | sort -h | tail
  \`\`\`

## Mitigation

1. Remove images that nothing uses. [!]
2. Enlarge the disk. [!]`,
  'alert with several causes': `# ApiLatencyHigh

## Meaning

Requests take longer than a second.

## Possible cause: too many watches

1. Count the watches per client. [!]
2. Restart the client that has most. [!]

## Possible cause: slow storage

1. Look at the latency of the disk. [!]
2. Move the database to a faster disk. [!]`,
  'operator runbook': `# Operator is degraded

## Overview

The operator reports a condition.

## Procedure

1. Read the condition:

   \`\`\`sh
   oc get clusteroperator
   \`\`\`

   Write down its reason. [!]
2. Read the log of the operator. [!]
3. If the reason is a timeout, skip to step 5.
4. Correct the configuration. [!]
5. Delete the pod of the operator. [!]

## Additional resources

- [Conditions](https://x.example/conditions)`,
  'runbook with a check in the middle': `# Queue grows

1. Count the consumers. [!]
2. Start the consumers that are down. [!]
3. If the queue still grows, raise the number of consumers. [!]
4. Watch the queue for ten minutes. [!]`,
  'question with actions that go on': `# VPN drops

Does the client have the newest version?

- If not, install it and continue with the next step. [!]
- If yes, note the version and continue with the next step. [!]

1. Change the protocol. [!]
2. Test the connection for an hour. [!]`,
  scenarios: `# Phone has no dial tone

## Scenario A: one phone

1. Change the cable of the phone. [!]

## Scenario B: all phones

1. Restart the switch. [!]
2. Call the provider. [!]`,
  'single cause': `# Screen flickers

## Symptoms

The picture goes away for a second.

## Cause

The driver is older than the system.

## Resolution

1. Install the driver of the vendor. [!]
2. Restart the computer. [!]`,
  'page with a method that is solved': `# Camera is black

## Solution 1

1. Close other programs that use the camera. [!]
2. If this doesn't work, proceed to Solution 3.

## Solution 2

1. Open the shutter. [!]

## Solution 3

1. Allow the access in the settings. [!]`,
  'facts, an example and a choice': `# Operator is not ready

## Meaning

The condition contains:

- \`type\`: what it is about
- \`status\`: whether it holds

## Diagnosis

1. Read the condition. [!]

   For example:

   \`\`\`text
   Upgradeable False
   \`\`\`

It differs by the disk:

- NVMe: ~0.1 ms
- SSD: 1 to 5 ms
- The others take longer.

It happens when:

- too few replicas run
- wrong rights are set

- \`long: 1h\` and \`short: 5m\`: at once
- \`long: 6h\` and \`short: 30m\`: today

## Mitigation

Apply the remediation
that matches the cause:

1. **Lease**: delete the lease. [!]
2. **Rights**: create the role again. [!]`,
  'statements about one of several': `# Wizard fails

_Original KB number:_ &nbsp; 4711

## Problem

- You use the classic client.
- You have two accounts.

## Cause

This occurs if the wizard has one of the following kinds of servers:

- Wrong servers
- Servers that were removed

## Improvements in version 2

- It reads all servers.
- It asks before it removes one.

## Solution

Use one of the following ways:

- Clear the list. [!]
- Run the wizard as an admin. [!]

The banner stays until one of the following things happens:

- You close the wizard.
- Another wizard starts.`,
}
