"""What people read: moves in words, seats by their colours, a first page and a set-up without jargon."""

from collections.abc import Callable

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from visitor import BOT, YOU, Visitor


def test_moves_are_told_in_words_and_typed_in_either_notation(visitor: Visitor) -> None:
    page = visitor.page
    visitor.sit_down("camelup:players=2")
    visitor.wait_for_turn()
    page.get_by_role("tab", name="Moves").click()
    expect(page.get_by_role("button", name="Bet on blue to win the leg")).to_be_visible()
    page.get_by_label("Find a move by name").fill("leg c_0")
    page.keyboard.press("Enter")
    expect(page.locator(".log li[data-name='leg c_0']").first).to_have_text("You:Bet on blue to win the leg")
    visitor.wait_for_turn()
    page.get_by_label("Find a move by name").fill("orange leg")
    page.keyboard.press("Enter")
    expect(page.locator(".log li[data-name='leg c_2']").first).to_have_text("You:Bet on orange to win the leg")
    assert Axe().run(page).violations_count == 0


def test_a_spectator_reads_names_where_the_player_reads_you(visit: Callable[..., Visitor]) -> None:
    player, onlooker = visit(), visit(phone=True, dark=True)
    address = player.sit_down("mexican_train:players=3", {"you": True, "name": "Ada"}, BOT, BOT)
    onlooker.page.goto(address)
    expect(onlooker.page.locator(".crowd-note")).to_have_text("You are watching")
    expect(onlooker.piece("train-0")).to_have_attribute("aria-label", "Ada's train, ending in 12")
    expect(player.piece("train-0")).to_have_attribute("aria-label", "your train, ending in 12")
    expect(player.piece("label-1")).to_have_attribute("aria-label", "Player 2: 11 tiles in hand, 0 points")
    assert Axe().run(onlooker.page).violations_count == 0


def test_seats_go_by_the_colours_that_were_chosen(visitor: Visitor) -> None:
    page = visitor.page
    page.goto("/")
    page.get_by_role("button", name="Set up Connect Four").click()
    page.get_by_label("Colour for Red").get_by_role("radio", name="Blue").click()
    expect(page.locator(".seat-choice b").first).to_have_text("Blue")
    page.get_by_label("Who plays Yellow").select_option("you")
    page.get_by_label("Name of Red").fill("Ada")
    expect(page.get_by_label("Columns")).to_be_visible()
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/table/*")
    visitor.wait_for_turn()
    expect(page.locator(".seat").first).to_contain_text("Ada (you)Blue")
    visitor.make_a_move()
    expect(page.locator(".scene [aria-label^='a blue disc in column']")).to_have_count(1)


def test_the_first_page_says_play_and_continues_games(visitor: Visitor) -> None:
    page = visitor.page
    visitor.sit_down("ur", YOU, BOT)
    page.goto("/")
    expect(page.get_by_role("button", name="Play The Royal Game of Ur", exact=True)).to_be_visible()
    expect(page.get_by_role("region", name="For two, without luck").locator(".card")).to_have_count(3)
    expect(page.get_by_role("heading", name="Continue where you left off")).to_be_visible()
    assert Axe().run(page).violations_count == 0
    page.locator(".begun .start").first.click()
    page.wait_for_url("**/table/*")


def test_focus_stays_at_the_table_after_a_pass_and_at_the_end(visitor: Visitor) -> None:
    page = visitor.page
    page.add_init_script("localStorage.setItem('kibitz-preferences', JSON.stringify({ forced: false }))")
    visitor.sit_down("ur", seed=21)  # the first roll is 0
    visitor.wait_for_turn()
    page.get_by_role("button", name="Pass").focus()
    visitor.press("Enter")
    expect(page.locator(".log li[data-name='pass']").first).to_be_visible()
    visitor.wait_for_turn()
    expect(page.locator(":focus")).to_have_count(1)
    page.get_by_role("button", name="Resign").focus()
    visitor.press("Enter", "Enter")
    page.wait_for_selector(".table-page[data-state=over]")
    expect(page.locator(":focus")).to_have_count(1)
