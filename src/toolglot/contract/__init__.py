"""The contract: the policy on what a server may publish. Rules, findings, baseline."""
