package app

// Operations lists every operation, in the order of the help. An operation is added by its file and one word here.
func Operations() []Operation {
	return []Operation{
		Erase(Review),
		Erase(Scan),
		Erase(Run),
		Erase(RunReview),
		Erase(State),
		Erase(ReadVerdict),
		Erase(Findings),
		Erase(Artifact),
		Erase(Open),
		Erase(Runs),
		Erase(Guard),
		Erase(Acknowledge),
		Erase(BaselineUpdate),
		Erase(Rules),
		Erase(Explain),
		Erase(Health),
		Erase(Doctor),
		Erase(ConfigShow),
		Erase(HookInstall),
		Erase(HookUninstall),
		Erase(HookRun),
	}
}
