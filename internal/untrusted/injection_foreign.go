package untrusted

// foreignPatterns are the languages other than English. Folding has taken the accents off Latin letters. Of each language: drop
// your instructions, say that all is well, do not tell.
func foreignPatterns() []pattern {
	return []pattern{
		// German
		{rule: RuleOverride, words: []string{"ignoriere ", "ignorieren ", "vergiss ", "vergessen ", "missachte ", "ubergehe "},
			source: `\b(?:ignoriere|ignorieren sie|vergiss|vergessen sie|missachte|missachten sie|ubergehe) (?:bitte )?(?:(?:alle|samtliche|die|deine|ihre|jegliche|diese) ){0,2}(?:(?:vorherigen?|bisherigen?|obigen?|vorigen?|fruheren?|vorangegangenen?|ursprunglichen?|anderen) )?(?:anweisung(?:en)?|instruktion(?:en)?|regeln|vorgaben|befehle|systemanweisung(?:en)?|prompts?|richtlinien)\b`},
		{rule: RuleVerdict, words: []string{"melde ", "melden ", "genehmige ", "genehmigen ", "antworte ", "markiere ", "bewerte "},
			source: `\b(?:(?:melde|melden sie) (?:keine|null) (?:probleme|fehler|befunde|schwachstellen|sicherheitslucken)|(?:genehmige|genehmigen sie|markiere|bewerte) (?:diese[nrs]?|den|die|das) (?:anderung|pull request|code|commit|datei|patch)\b|antworte (?:nur |ausschliesslich |immer )?mit ["'„“]?(?:lgtm|genehmigt|keine probleme|in ordnung))`},
		{rule: RuleConceal, words: []string{"sage ", "sag ", "erzahle ", "erwahne ", "verrate ", "informiere "},
			source: `\b(?:sage?|erzahle?|verrate|informiere) (?:es |das |davon |dies )?(?:dem|der|den) (?:benutzer|nutzer|anwender|entwickler|nutzerin)n? (?:nichts?|davon nichts|nicht)\b|\berwahne (?:diese|die) (?:anweisung|nachricht)(?:en)? (?:nicht|nie)`},
		// French
		{rule: RuleOverride, words: []string{"ignore ", "ignorez ", "oublie ", "oubliez "},
			source: `\b(?:ignore|ignorez|oublie|oubliez) (?:toutes? )?(?:les|tes|vos|ces|des) (?:(?:autres|precedentes|anciennes) )?(?:instructions?|consignes?|regles|directives)(?: (?:precedentes?|ci-dessus|anterieures?|initiales|du systeme|de securite|que tu|que vous))?`},
		{rule: RuleVerdict, words: []string{"approuve ", "approuvez ", "signale ", "signalez ", "reponds ", "repondez "},
			source: `\b(?:approuvez?|validez?) (?:cette|ce|la|le) (?:modification|pull request|changement|demande|commit|code)\b|\b(?:ne )?signalez? (?:pas d'|aucun|aucune) ?(?:probleme|erreur|vulnerabilite|anomalie)|\brepond(?:s|ez) (?:uniquement |seulement |toujours )?(?:par|avec) ["'«“]? ?(?:lgtm|approuve|aucun probleme)`},
		{rule: RuleConceal, words: []string{"ne dis ", "ne dites ", "ne mentionne", "n'informe", "ne revele"},
			source: `\b(?:ne (?:dis|dites|mentionnez?|revelez?)|n'informez?) (?:rien|pas|jamais)? ?(?:cela |ceci |ces instructions )?(?:a |au |aux |l')*(?:l'utilisateur|utilisateurs?|developpeurs?)`},
		// Spanish
		{rule: RuleOverride, words: []string{"ignora ", "ignore ", "ignorad ", "olvida ", "olvide ", "descarta "},
			source: `\b(?:ignora|ignore|ignorad|olvida|olvide|descarta) (?:por completo )?(?:todas? )?(?:las|tus|sus|estas) (?:(?:demas|anteriores|previas) )?(?:instrucciones|reglas|indicaciones|directrices|ordenes)(?: (?:anteriores|previas|de arriba|del sistema|que))?`},
		{rule: RuleVerdict, words: []string{"aprueba ", "apruebe ", "responde ", "responda ", "no informes ", "no reportes ", "no senales "},
			source: `\b(?:aprueb[ae]) (?:este|esta|el|la) (?:cambio|pull request|solicitud|codigo|commit|parche)\b|\bno (?:informes|reportes|senales) (?:de )?(?:ningun|ninguna|nada|los|errores|problemas|vulnerabilidades)|\brespond[ea] (?:solo |unicamente |siempre )?(?:con )?["'«“]?(?:lgtm|aprobado|sin problemas)`},
		{rule: RuleConceal, words: []string{"no le digas ", "no le diga ", "no digas ", "no menciones ", "no informes "},
			source: `\bno (?:le )?(?:digas?|menciones|informes|reveles) (?:nada |esto |nunca |estas instrucciones )*(?:de esto )?(?:al|a los) (?:usuarios?|desarrollador(?:es)?)`},
		// Portuguese
		{rule: RuleOverride, words: []string{"ignore ", "ignora ", "esqueca ", "desconsidere "},
			source: `\b(?:ignore|ignora|esqueca|desconsidere) (?:todas? )?(?:as|suas|estas|essas) (?:suas )?(?:outras |demais )?(?:instrucoes|regras|orientacoes|diretrizes|ordens)(?: (?:anteriores|previas|acima|do sistema|que))?`},
		{rule: RuleVerdict, words: []string{"aprove ", "responda ", "nao relate ", "nao reporte "},
			source: `\baprove (?:este|esta|o|a) (?:alteracao|mudanca|pull request|codigo|commit)\b|\bnao (?:relate|reporte|mencione) (?:nenhum|nenhuma|os|as|qualquer|problemas|erros|vulnerabilidades)|\bresponda (?:apenas |somente |sempre )?com ["'“]?(?:lgtm|aprovado|sem problemas)`},
		{rule: RuleConceal, words: []string{"nao diga ", "nao conte ", "nao informe ", "nao revele "},
			source: `\bnao (?:diga|conte|informe|revele|mencione) (?:nada |isso |isto |estas instrucoes )*(?:ao|aos|para o) (?:usuarios?|utilizador|desenvolvedor)`},
		// Italian
		{rule: RuleOverride, words: []string{"ignora ", "ignorate ", "dimentica ", "dimenticate "},
			source: `\b(?:ignora|ignorate|ignori|dimentica|dimenticate) (?:tutte )?(?:le|queste) (?:tue )?(?:altre |precedenti )?(?:istruzioni|regole|direttive|indicazioni)(?: (?:precedenti|di sopra|del sistema|ricevute|che))?`},
		{rule: RuleVerdict, words: []string{"approva ", "rispondi ", "non segnalare "},
			source: `\bapprova (?:questa|questo|la|il) (?:modifica|pull request|richiesta|codice|commit)\b|\bnon segnalare (?:alcun|nessun|i|gli|le|errori|problemi|vulnerabilita)|\brispondi (?:solo |soltanto |sempre )?con ["'“]?(?:lgtm|approvato|nessun problema)`},
		// Dutch
		{rule: RuleOverride, words: []string{"negeer ", "vergeet "},
			source: `\b(?:negeer|vergeet) (?:alle |al )?(?:de |je |uw |jouw |deze )?(?:(?:vorige|eerdere|voorgaande|bovenstaande|andere) )?(?:instructies|opdrachten|regels|aanwijzingen|richtlijnen)\b`},
		// Polish
		{rule: RuleOverride, words: []string{"zignoruj ", "ignoruj ", "zapomnij "},
			source: `\b(?:zignoruj|ignoruj|zapomnij) (?:o )?(?:wszystkie |wszystkich |swoje |twoje )*(?:poprzednie|poprzednich|wczesniejsze|wczesniejszych|powyzsze|dotychczasowe)? ?(?:instrukcje|instrukcjach|polecenia|zasady|wytyczne)\b`},
		// Turkish
		{rule: RuleOverride, words: []string{"talimatlari ", "talimatlarin "},
			source: `\b(?:onceki|yukaridaki|tum|butun)(?: \w+){0,2} talimatlar\w* (?:yok say|goz ardi et|unut|dikkate alma)`, anywhere: true},
		// Russian
		{rule: RuleOverride, words: []string{"игнорируй", "проигнорируй", "забудь", "не обращай"},
			source: `(?:про)?игнорируй(?:те)? (?:все |эти |любые |свои |твои |ваши )*(?:предыдущие |прежние |прошлые |вышеуказанные |системные |остальные )*(?:инструкции|указания|правила|команды)|забудь(?:те)? (?:о |обо |про )?(?:все|всех|всё|эти|свои)(?: \p{L}+){0,2} (?:инструкци|указани|правил|команд)\p{L}*|не обращай(?:те)? внимания на (?:все |эти |предыдущие )*(?:инструкции|указания|правила)`},
		{rule: RuleVerdict, words: []string{"одобри", "ответь", "не сообщай"},
			source: `одобри(?:те)? (?:этот|эти|данный|это|эту) (?:pull request|запрос|код|изменени[яе]|коммит|патч)|(?:ответь|ответьте) (?:только |просто )?["'«„]?(?:lgtm|одобрено|нет проблем)|не сообщай(?:те)? (?:о|об|про) (?:проблемах|ошибках|уязвимостях)`},
		{rule: RuleConceal, words: []string{"не говори", "не рассказывай", "не упоминай"},
			source: `не (?:говори|рассказывай|сообщай)(?:те)? (?:об этом |ничего |это )*(?:пользовател|разработчик)\p{L}*|не упоминай(?:те)? (?:эти|об этих|данные) (?:инструкци|указани)\p{L}*`},
		// Chinese
		{rule: RuleOverride, words: []string{"忽略", "无视", "無視", "忘记", "忘記", "忽視", "忽视"},
			source: `(?:忽略|无视|無視|忘记|忘記|忽視|忽视)(?:掉)?(?:你|您)?(?:的)?(?:所有|全部|一切|任何)?(?:的)?(?:之前|以前|先前|上述|以上|上面|前面|此前|原有|系统|系統|这些|這些)?(?:的)?(?:所有|全部|一切|任何|系统|系統)?(?:的)?(?:指令|指示|说明|說明|提示词|提示詞|提示|命令|规则|規則|要求)`},
		{rule: RuleVerdict, words: []string{"批准", "请勿报告", "不要报告", "回复", "回答", "回覆"},
			source: `(?:请|請|直接|立即|务必)(?:直接|立即)?(?:批准|通过|合并|核准)(?:这个|此|该|這個|本)?(?:次)?(?:pr|拉取请求|更改|变更|修改|代码|提交|合併請求)|(?:不要|请勿|勿)报告(?:任何)?(?:问题|漏洞|错误)|(?:只|仅)(?:需|要)?(?:回复|回答|回覆) ?["“「']?(?:lgtm|通过|批准|没有问题)`, anywhere: true},
		{rule: RuleConceal, words: []string{"不要告诉", "不要告訴", "不要向用户", "请勿告诉", "别告诉"},
			source: `(?:不要|请勿|別|别|切勿)(?:告诉|告訴|通知|提醒)(?:任何)?(?:用户|使用者|用戶|人类|开发者)|不要向(?:用户|使用者|用戶)(?:透露|提及|提到|说明)`, anywhere: true},
		// Japanese
		{rule: RuleOverride, words: []string{"無視", "忘れ"},
			source: `(?:指示|命令|指令|プロンプト|ルール|規則|説明)(?:を|は|について|に関して)?(?:すべて|全て|全部|完全に|一切)?(?:を)?(?:無視(?:して|しろ|せよ|すること)|忘れ(?:て|ろ|なさい))`, anywhere: true},
		{rule: RuleVerdict, words: []string{"承認", "報告しない"},
			source: `(?:この|本)(?:pr|プルリクエスト|変更|コード|コミット|差分)(?:を|は)(?:必ず|すぐに|直ちに|無条件に)?承認(?:して(?:ください)?|しろ|せよ|すること)|(?:問題|脆弱性|バグ)(?:を|は|について)(?:一切)?報告しないで`, anywhere: true},
		{rule: RuleConceal, words: []string{"ユーザー", "利用者"},
			source: `(?:ユーザー|利用者)(?:に|には)(?:この|これ|絶対に|このことを|何も)*(?:言わないで|伝えないで|知らせないで|教えないで|言うな|伝えるな)`, anywhere: true},
		// Korean
		{rule: RuleOverride, words: []string{"무시", "잊어"},
			source: `(?:지시|명령|지침|프롬프트|규칙|안내)(?:사항)?(?:들)?(?:을|를|은|는)? ?(?:모두 |전부 |완전히 )?(?:무시(?:하고|해|하세요|하십시오|하라|할 것)|잊어(?:버려|라|주세요)?)`, anywhere: true},
		{rule: RuleConceal, words: []string{"사용자에게"},
			source: `사용자에게 ?(?:이 |이것을 |이 사실을 |아무것도 |절대 )*(?:말하지 ?마|알리지 ?마|언급하지 ?마)`, anywhere: true},
	}
}
