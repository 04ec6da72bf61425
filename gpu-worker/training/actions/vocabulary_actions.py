"""The actions of the vocabulary that a person chose, with their glosses. Data, no logic.

build_actions.py makes the checkpoint's frozen actions.json, verbs.json and objects.json of these, of the pairs of
vocabulary_words.py, and of the frequencies of the training data.
"""

CORE = {
    "system": "pad unk start end wait ask_user confirm retry abort noop".split(),
    "retrieval": (
        "search read extract get list lookup query filter sort summarize compare analyze calculate check verify "
        "download translate classify count recall"
    ).split(),
    "navigation": (
        "select click navigate open close back forward refresh switch_tab new_tab go_home hover focus expand collapse zoom"
    ).split(),
    "interaction": (
        "type submit scroll press_key drag drop upload create update delete send book buy cancel play pause login logout "
        "toggle copy paste"
    ).split(),
}

CORE_GLOSSES = {
    "pad": "Padding, no action.",
    "unk": "An unknown action.",
    "start": "Start the task.",
    "end": "End: the goal is reached and nothing is left to do.",
    "wait": "Wait until something changes.",
    "ask_user": "Ask the user for missing information.",
    "confirm": "Confirm the details with the user.",
    "retry": "Try the failed step again.",
    "abort": "Give up the task.",
    "noop": "Do nothing.",
    "search": "Search the web to find the answer to a question.",
    "read": "Read the text of a page or document.",
    "extract": "Extract specific information from a text.",
    "get": "Get information about something.",
    "list": "List all items.",
    "lookup": "Look up one entry by its name or number.",
    "query": "Query a database.",
    "filter": "Filter out what does not fit.",
    "sort": "Sort results into an order.",
    "summarize": "Summarize a long text in a few sentences.",
    "compare": "Compare several options.",
    "analyze": "Analyze data and draw conclusions.",
    "calculate": "Calculate the result of a math expression.",
    "check": "Check whether something is true or available.",
    "verify": "Verify that something is correct.",
    "download": "Download a file.",
    "translate": "Translate text into another language.",
    "classify": "Classify something into a category.",
    "count": "Count how many there are.",
    "recall": "Recall something remembered from earlier.",
    "select": "Select one of the results or options.",
    "click": "Click on an element of the page.",
    "navigate": "Navigate to a page or place.",
    "open": "Open something.",
    "close": "Close what is open.",
    "back": "Go back to the previous page.",
    "forward": "Go forward to the next page in the history.",
    "refresh": "Refresh the page.",
    "switch_tab": "Switch to another tab.",
    "new_tab": "Open a new tab.",
    "go_home": "Go to the home page.",
    "hover": "Hover the mouse over an element.",
    "focus": "Focus an input field.",
    "expand": "Expand a collapsed section.",
    "collapse": "Collapse an expanded section.",
    "zoom": "Zoom the view in or out.",
    "type": "Type text into a field.",
    "submit": "Submit what was filled in.",
    "scroll": "Scroll the page.",
    "press_key": "Press a key on the keyboard.",
    "drag": "Drag an element to another place.",
    "drop": "Drop what is being dragged.",
    "upload": "Upload something.",
    "create": "Create something new.",
    "update": "Update or change something that exists.",
    "delete": "Delete or remove something.",
    "send": "Send something to someone.",
    "book": "Book or reserve something.",
    "buy": "Buy or purchase something.",
    "cancel": "Cancel something.",
    "play": "Play media.",
    "pause": "Pause what is playing or running.",
    "login": "Log in to an account.",
    "logout": "Log out of an account.",
    "toggle": "Toggle a switch or checkbox.",
    "copy": "Copy something to the clipboard.",
    "paste": "Paste from the clipboard.",
}

# Pairs that the frequencies of the data would leave out, and that a person would miss.
PINNED = """
search_flight search_hotel search_restaurant search_product search_recipe search_job search_movie search_song search_house
search_apartment search_event search_doctor search_attraction search_news search_article search_book search_course
search_image search_video search_email search_file search_contact search_company search_ride search_car search_bus
search_train search_location search_game search_podcast search_gift
get_weather get_forecast get_price get_news get_direction get_time get_balance get_exchange_rate get_definition get_recipe
get_score get_stock get_location get_route get_distance get_menu get_review get_fact get_joke get_horoscope get_air_quality
get_order get_invoice get_credit_score get_profile get_policy get_law get_timezone
check_balance check_weather check_price check_status check_reservation check_schedule check_calendar check_email
check_inventory check_order check_flight check_traffic check_fraud check_claim check_issue check_seat check_insurance
track_order track_shipment track_flight compare_price compare_product compare_flight compare_hotel
calculate_price calculate_distance calculate_tax calculate_area calculate_cost calculate_loan calculate_speed
translate_text translate_document summarize_text summarize_article summarize_document summarize_video summarize_meeting
analyze_data analyze_sentiment analyze_text analyze_image extract_text extract_data read_email read_message read_document
read_page read_file list_file list_event list_task list_email download_file download_report sort_result filter_result
verify_user verify_email verify_address convert_currency convert_file recommend_movie recommend_restaurant recommend_product
recommend_book detect_fraud predict_price define_word explain_topic
book_flight book_hotel book_restaurant book_ticket book_appointment book_ride book_car book_train book_bus book_house
order_food order_product order_ride buy_product buy_ticket buy_stock sell_stock pay_invoice pay_tax
transfer_money refund_order return_order exchange_order cancel_order cancel_reservation cancel_subscription
cancel_appointment cancel_flight cancel_meeting schedule_meeting schedule_appointment schedule_event
create_event create_file create_folder create_document create_task create_reminder create_note create_list create_account
create_playlist create_report create_project create_issue create_invoice create_survey create_user add_event add_contact add_product add_song add_item add_user add_comment add_note
update_address update_order update_profile update_password update_setting update_record update_task update_payment
update_reservation update_account delete_file delete_email delete_account delete_event delete_task delete_record
delete_post delete_item send_email send_message send_invitation send_invoice send_report send_file send_notification
reply_email reply_message share_file share_post share_image share_location share_document post_comment post_message post_image
play_song play_music play_video play_movie play_game play_podcast pause_music set_alarm set_timer set_reminder
set_temperature set_volume set_light set_password set_goal turn_on_light turn_off_light turn_on_device turn_off_device
lock_door unlock_door lock_card block_card report_card report_fraud report_issue generate_image generate_report generate_text generate_code generate_password write_email write_code write_article
write_document upload_file upload_image save_file save_document rename_file move_file copy_file merge_file split_file
export_data import_data archive_email restore_backup install_app deploy_app run_code run_script run_test run_query test_code
connect_device invite_user approve_payment sign_document print_document join_meeting register_user rate_book rate_product call_contact clean_object move_object increase_volume decrease_volume renew_subscription redeem_reward
request_refund submit_form submit_claim assign_task mark_email reset_password resize_image start_timer
cancel_timer pause_timer stop_timer open_file open_app open_email open_page open_website open_document open_account select_item select_product select_date
select_seat click_button click_link click_result navigate_page close_account close_window close_app switch_account
""".split()

# Sensible pairs that few tool names of the data have: they get a bonus, and the data decides.
LIKELY = """
read_article read_book read_news read_note read_review read_table query_database query_dataset lookup_word lookup_address
lookup_contact lookup_user lookup_song lookup_order lookup_law lookup_code count_item count_word monitor_metric
monitor_server monitor_network monitor_price monitor_performance track_exercise track_goal track_budget predict_stock
predict_risk predict_trend predict_score predict_weather estimate_cost estimate_time estimate_price evaluate_performance
evaluate_risk evaluate_quality evaluate_student evaluate_model recommend_song recommend_hotel recommend_recipe
recommend_course recommend_gift recommend_game detect_object detect_language detect_error detect_disease detect_risk
explain_code explain_word explain_law diagnose_disease diagnose_issue diagnose_device transcribe_audio transcribe_video
convert_time convert_image convert_temperature convert_size convert_number preview_document preview_image scan_document
compare_car compare_insurance compare_document compare_stock classify_text classify_image classify_email filter_product
filter_email filter_record sort_file sort_list sort_product summarize_report summarize_news summarize_email summarize_book
summarize_chat extract_link extract_image extract_table extract_contact extract_topic list_product list_user list_order
list_project list_account list_channel list_repository list_reservation list_folder list_device download_image
download_video download_document download_song verify_account verify_document verify_payment verify_answer verify_fact
recall_fact recall_password recall_appointment translate_word translate_message translate_website simulate_structure
simulate_risk
order_medication order_gift order_card pay_loan pay_subscription pay_insurance transfer_call refund_payment buy_house buy_car
buy_cryptocurrency buy_insurance sell_product sell_house sell_car sell_cryptocurrency exchange_currency exchange_product
schedule_call schedule_exercise schedule_post schedule_shipment schedule_ride schedule_message start_game start_meeting
start_call start_exercise start_server start_workflow start_course start_service stop_server stop_alarm stop_music
stop_service run_workflow generate_video generate_audio generate_presentation generate_chart generate_link
generate_invoice generate_idea write_letter write_review write_note write_song write_resume write_test
design_structure design_website design_product design_presentation post_review post_job post_video reply_comment
reply_review invite_member invite_contact join_team join_group join_course join_event register_event register_account
register_domain register_device register_course subscribe_channel subscribe_podcast subscribe_service assign_role assign_issue
assign_user approve_order approve_claim approve_pull_request approve_loan approve_invitation reject_order reject_invitation
reject_call report_error report_user report_claim rate_movie rate_song rate_service rate_restaurant move_email move_task
copy_link copy_image copy_document rename_folder merge_branch merge_document split_payment split_text import_contact import_file
export_report export_contact export_file save_image save_contact save_link save_recipe save_location restore_file
restore_account archive_file archive_project archive_chat lock_account lock_device unlock_phone unlock_account unlock_card
block_user block_number block_website enable_notification disable_notification enable_setting disable_account
turn_on_thermostat turn_off_thermostat turn_on_alarm turn_off_alarm turn_on_network turn_off_network toggle_light
toggle_setting toggle_device deploy_model deploy_service deploy_server deploy_website test_model test_api test_website
connect_database connect_account connect_network connect_api disconnect_device disconnect_account print_ticket print_image
sign_contract manage_team manage_project manage_inventory manage_account manage_event manage_risk optimize_route optimize_website
optimize_code optimize_campaign optimize_budget optimize_energy train_model train_employee notify_user notify_team
notify_customer clean_data clean_room increase_temperature decrease_temperature increase_light decrease_light renew_contract
renew_book renew_insurance renew_visa redeem_discount redeem_gift donate_money donate_food request_ride request_document
request_quote request_permission request_service mark_task mark_message mark_item reset_device reset_account encrypt_file
encrypt_message format_document format_code apply_for_job apply_for_loan apply_for_card apply_for_visa call_doctor
call_company call_api send_gift send_reminder send_payment send_survey send_location send_image send_document cancel_ride
cancel_event cancel_payment cancel_insurance pause_subscription pause_game pause_video pause_campaign play_album
play_playlist play_news
open_folder open_calendar open_chat open_map open_door open_video close_door close_issue navigate_location select_address
select_payment select_room
""".split()

# Verbs to which the data may add objects; of the others only pinned and likely pairs make sense.
OPEN_VERBS = set("""
search get list check calculate analyze create add update set delete generate estimate detect predict track extract
upload download open manage compare verify
""".split())

# Pairs that are frequent in the data but that nobody would ask for by that name.
BANNED = set("""
search_api search_table search_query search_object get_design get_index get_list calculate_index predict_date open_audio open_date
open_location open_tab create_network create_object update_energy update_object set_audio set_dashboard delete_book
delete_object generate_call add_table search_list open_list update_media get_language get_device get_service
""".split())

# Glosses for pairs whose pattern would read oddly or say too little.
GLOSSES = {
    "get_weather": "Get the current weather.", "get_forecast": "Get the weather forecast.", "get_price": "Get the price of something.",
    "get_cost": "Get the cost of something.", "get_news": "Get the latest news.", "get_direction": "Get directions to a place.",
    "get_time": "Get the current time.", "get_balance": "Get the balance of an account.", "get_exchange_rate": "Get the currency exchange rate.",
    "get_definition": "Get the definition of a word.", "get_recipe": "Get a recipe for a dish.", "get_score": "Get the score or ranking.",
    "get_stock": "Get the stock price and quote.", "get_distance": "Get the distance between two places.", "get_fact": "Get a fun fact or trivia.",
    "get_joke": "Tell a joke.", "get_horoscope": "Get the horoscope.", "get_status": "Get the current status.", "get_menu": "Get the menu of a restaurant.",
    "get_review": "Get reviews and ratings.", "get_statistics": "Get statistics.", "get_data": "Retrieve data.", "get_text": "Get the text.",
    "get_route": "Get the best route.", "get_image": "Get an image or picture.", "get_law": "Get information about a law or regulation.",
    "get_song": "Get a song or its lyrics.", "get_timezone": "Get the time zone of a place.", "get_rate": "Get the rate or percentage.",
    "get_profit": "Get the profit or revenue.", "get_item": "Get the details of an item.", "get_order": "Get the details of an order.",
    "check_fraud": "Check for fraud.", "check_seat": "Check the seat information.", "check_date": "Check the date.", "check_flight": "Check the flight status.",
    "check_balance": "Check the account balance.", "check_status": "Check the status of something.", "check_insurance": "Check the insurance coverage.",
    "convert_currency": "Convert money into another currency.", "convert_file": "Convert a file into another format.",
    "convert_number": "Convert a number into another base.", "convert_size": "Convert a length or size into another unit.",
    "convert_temperature": "Convert a temperature into another unit.", "convert_time": "Convert a time into another time zone.",
    "calculate_loan": "Calculate the loan or mortgage payment.", "calculate_rate": "Calculate the rate or percentage.",
    "calculate_force": "Calculate the force or pressure.", "calculate_emission": "Calculate the carbon emissions.",
    "analyze_sentiment": "Analyze the sentiment of a text.", "detect_language": "Detect the language of a text.", "verify_user": "Verify the identity of the user.",
    "count_word": "Count the words of a text.", "extract_text": "Extract text from an image or file.", "search_media": "Search for a creative work.",
    "update_image": "Edit an image.", "update_ride": "Change the ride.", "add_song": "Add a song to a playlist.", "add_item": "Add an item to a list or cart.",
    "add_event": "Add an event to the calendar.", "add_member": "Add a member to a group.", "set_light": "Set the color or brightness of the light.",
    "set_temperature": "Set the temperature of the thermostat.", "book_restaurant": "Book a table at a restaurant.", "book_house": "Book a house for a stay.",
    "book_hotel": "Book a hotel room.", "book_car": "Rent a car.", "book_bus": "Book a bus ticket.", "book_train": "Book a train ticket.",
    "book_ride": "Book a ride or taxi.", "order_card": "Order a new bank card.", "order_food": "Order food or a drink.", "order_ride": "Order a taxi.",
    "transfer_money": "Transfer money to another account.", "register_course": "Register for a course.", "register_event": "Register for an event.",
    "write_code": "Write program code.", "generate_code": "Generate program code.", "report_card": "Report a lost or stolen card.", "select_payment": "Select a payment method.",
    "update_payment": "Change the payment method.", "set_password": "Set a password.", "renew_book": "Renew a borrowed book.", "clean_object": "Clean an object.",
    "move_object": "Move an object to another place.", "track_exercise": "Track a workout.", "get_exercise": "Get exercises for a workout.",
    "connect_device": "Connect to a device.", "connect_database": "Connect to a database.", "notify_customer": "Notify a customer.",
    "update_list": "Update a list.", "track_shipment": "Track a package or shipment.", "scan_document": "Scan a document.",
    "define_word": "Define what a word means.", "lookup_code": "Look up a code.", "lookup_song": "Look up a song.",
}

# "category effect": {name: gloss}. Here a name is read as verb and object class; those of DOMAIN and DIALOGUE are verbs of their own.
INTERFACE = {
    "navigation move": {
        "open_menu": "Open the menu.", "open_dropdown": "Open a dropdown list.", "open_date_picker": "Open the date picker.",
        "open_link": "Open a link.", "open_window": "Open a new window.", "open_terminal": "Open a terminal.",
        "open_browser": "Open the web browser.", "open_inbox": "Open the inbox.", "open_dialog": "Open a dialog.",
        "open_sidebar": "Open the sidebar.", "open_notification": "Open a notification.", "open_cart": "Open the shopping cart.",
        "open_attachment": "Open an attachment.", "open_history": "Open the browsing history.", "open_help": "Open the help page.",
        "open_private_window": "Open a private browsing window.", "close_tab": "Close the current tab.",
        "close_dialog": "Close the dialog.", "close_menu": "Close the menu.", "close_popup": "Close a popup or advertisement.",
        "close_banner": "Close the cookie banner.", "reopen_tab": "Reopen a closed tab.", "duplicate_tab": "Duplicate the current tab.",
        "pin_tab": "Pin the tab.", "next_tab": "Go to the next tab.", "previous_tab": "Go to the previous tab.",
        "next_page": "Go to the next page of results.", "previous_page": "Go to the previous page of results.",
        "first_page": "Go to the first page.", "last_page": "Go to the last page.", "go_to_url": "Go to a web address.",
        "go_to_line": "Go to a line of the file.", "go_to_cell": "Go to a cell of the sheet.", "go_to_checkout": "Go to the checkout page.",
        "go_to_login": "Go to the login page.", "go_to_profile": "Go to the profile page.", "go_to_setting": "Go to the settings page.",
        "go_to_location": "Go to a place or object in the room.", "go_up": "Go up one level.", "go_to_top": "Go to the top of the page.",
        "go_to_bottom": "Go to the bottom of the page.", "change_directory": "Change to another directory.",
        "select_option": "Select an option from a list.", "select_radio": "Select a radio button.", "select_row": "Select a row of the table.",
        "select_text": "Select a piece of text.", "select_all": "Select everything.", "select_time": "Select a time slot.",
        "select_color": "Select a color.", "select_size": "Select a size.", "select_category": "Select a category.",
        "select_range": "Select a range.", "deselect_item": "Deselect an item.", "click_image": "Click an image.", "click_icon": "Click an icon.",
        "click_input": "Click an input field.", "click_label": "Click a label.", "click_cell": "Click a cell of a table or calendar.",
        "click_text": "Click a piece of text.", "click_element": "Click an element of the page.", "double_click": "Double-click an element.",
        "right_click": "Right-click to open the context menu.", "middle_click": "Click with the middle button.",
        "long_press": "Press and hold an element.", "switch_window": "Switch to another window.", "switch_app": "Switch to another app.",
        "switch_language": "Switch the language.", "switch_frame": "Switch to another frame.", "switch_desktop": "Switch to another desktop.",
        "minimize_window": "Minimize the window.", "maximize_window": "Maximize the window.", "fullscreen": "Show the window in full screen.",
        "zoom_in": "Zoom in.", "zoom_out": "Zoom out.", "expand_section": "Expand a section.", "collapse_section": "Collapse a section.",
        "focus_field": "Focus the search or input field.", "hover_menu": "Hover over a menu.", "skip_intro": "Skip the intro.",
        "rotate_view": "Rotate the view.", "pan_map": "Pan the map.", "follow_path": "Walk along a path.",
    },
    "interaction write": {
        "type_text": "Type text into an input field.", "type_password": "Type the password.", "type_query": "Type a search query.",
        "clear_field": "Clear an input field.", "press_enter": "Press the enter key.", "press_escape": "Press the escape key.",
        "press_shortcut": "Press a keyboard shortcut.", "toggle_checkbox": "Tick or untick a checkbox.", "toggle_switch": "Flip a switch.",
        "scroll_down": "Scroll down.", "scroll_up": "Scroll up.", "scroll_to_element": "Scroll until an element is visible.",
        "swipe_left": "Swipe left.", "swipe_right": "Swipe right.", "drag_slider": "Drag a slider to a value.", "drag_item": "Drag an item into place.",
        "resize_window": "Resize the window.", "move_window": "Move the window.", "take_screenshot": "Take a screenshot.",
        "record_screen": "Record the screen.", "copy_text": "Copy the text to the clipboard.", "paste_text": "Paste the text.",
        "cut_text": "Cut the text.", "replace_text": "Find and replace text.", "format_text": "Format the text.", "insert_row": "Insert a row.",
        "insert_image": "Insert an image.", "insert_link": "Insert a link.", "accept_cookie": "Accept the cookies.",
        "dismiss_alert": "Dismiss an alert.", "pick_date": "Pick a date in the calendar widget.", "attach_file": "Attach a file.",
        "star_item": "Star an item.", "bookmark_page": "Bookmark the page.", "lock_screen": "Lock the screen.",
        "start_process": "Start a process on the computer.", "kill_process": "Kill a process on the computer.",
        "mount_drive": "Mount a drive.",
    },
}
DOMAIN = {
    "retrieval look": {
        "track": "Track where something is now.", "monitor": "Monitor something over time.", "predict": "Predict what will happen.",
        "estimate": "Estimate a value.", "evaluate": "Evaluate how good something is.", "recommend": "Recommend something suitable.",
        "detect": "Detect whether something is present.", "explain": "Explain how or why.", "define": "Define a term or concept.",
        "diagnose": "Diagnose what is wrong.", "simulate": "Simulate a scenario.", "transcribe": "Transcribe speech into text.",
        "convert": "Convert between units, currencies or formats.", "preview": "Preview something before using it.",
        "brainstorm": "Brainstorm ideas.", "proofread": "Proofread a text for mistakes.", "benchmark": "Benchmark the performance.",
        "inspect": "Inspect the details.", "audit": "Audit for compliance and mistakes.", "geocode": "Find the coordinates of an address.",
    },
    "interaction write": {
        "edit": "Edit something.", "configure": "Configure settings.", "install": "Install software.", "uninstall": "Uninstall software.",
        "upgrade": "Upgrade to a newer version.", "enable": "Enable a feature.", "disable": "Disable a feature.", "stop": "Stop something that is running.",
        "restart": "Restart something.", "reset": "Reset to the original state.", "run": "Run a program or command.", "test": "Test whether something works.",
        "debug": "Debug code to find the error.", "build": "Build or compile the software.", "refactor": "Refactor the code.",
        "backup": "Back up data.", "restore": "Restore from a backup.", "sync": "Synchronize data.", "import": "Import data.", "export": "Export data.",
        "compress": "Compress a file.", "decompress": "Unpack a compressed file.", "encrypt": "Encrypt data.", "decrypt": "Decrypt data.",
        "merge": "Merge several things into one.", "split": "Split something into parts.", "rename": "Rename something.", "move": "Move something to another place.",
        "archive": "Archive something.", "annotate": "Annotate with remarks.", "tag": "Tag or label something.", "generate": "Generate something new.",
        "write": "Write a text.", "draw": "Draw a picture.", "design": "Design something.", "record": "Record audio or video.", "crop": "Crop an image.",
        "compose": "Compose music or a message.", "practice": "Practice a skill.", "cook": "Cook a meal.", "heat": "Heat something in the microwave or on the stove.",
        "cool": "Cool something in the fridge.", "slice": "Slice something with a knife.", "pick_up": "Pick up an object.", "put_down": "Put down an object.",
        "turn_on": "Turn something on.", "turn_off": "Turn something off.", "mute": "Mute the sound.", "adjust": "Adjust a level.", "connect": "Connect two things.",
        "disconnect": "Disconnect something.", "train": "Train a machine learning model.", "optimize": "Optimize to get better results.", "lock": "Lock something.",
        "unlock": "Unlock something.",
    },
    "interaction commit": {
        "schedule": "Schedule something for a time.", "order": "Order something to be delivered.", "pay": "Pay for something.", "transfer": "Transfer money.",
        "refund": "Refund the money.", "exchange": "Exchange an item for another.", "rent": "Rent something.", "sell": "Sell something.", "donate": "Donate to a cause.",
        "invest": "Invest money.", "subscribe": "Subscribe to a service.", "unsubscribe": "Unsubscribe from a service.", "share": "Share something with others.",
        "invite": "Invite people.", "reply": "Reply to a message.", "post": "Post something publicly.", "publish": "Publish content.", "like": "Like a post.",
        "follow": "Follow someone.", "deploy": "Deploy the software to production.", "approve": "Approve a request.", "reject": "Reject a request.",
        "sign": "Sign a document.", "enroll": "Enroll in a course or program.", "vote": "Cast a vote.",
    },
}
DIALOGUE = {
    "system none": {
        "greet_user": "Say hi or hello to the user.", "say_goodbye": "Say bye or goodbye to the user.", "thank_user": "Thank the user.", "apologize": "Apologize to the user.",
        "make_small_talk": "Make small talk with the user.", "introduce_self": "Introduce the assistant.",
        "offer_help": "Offer help to the user.", "ask_more": "Ask whether the user needs anything else.", "ask_name": "Ask the user for a name.",
        "ask_date": "Ask the user for the date.", "ask_time": "Ask the user for the time.", "ask_location": "Ask the user for the location.",
        "ask_origin": "Ask the user where to start from.", "ask_destination": "Ask the user for the destination.",
        "ask_quantity": "Ask the user how many.", "ask_budget": "Ask the user for the price range.", "ask_preference": "Ask the user for a preference.",
        "ask_category": "Ask the user which kind is wanted.", "ask_contact": "Ask the user for contact details.",
        "ask_account": "Ask the user for the account number.", "ask_payment_method": "Ask the user how to pay.",
        "ask_reason": "Ask the user for the reason.", "ask_permission": "Ask the user for permission.", "ask_feedback": "Ask the user for feedback.",
        "ask_password": "Ask the user for a password or PIN.", "clarify_request": "Ask the user what was meant.",
        "confirm_details": "Repeat the details and ask the user to confirm them.", "confirm_booking": "Ask the user to confirm the booking.",
        "confirm_payment": "Ask the user to confirm the payment.", "offer_choice": "Offer the user several options to choose from.",
        "offer_result": "Offer the user a result that was found.", "offer_alternative": "Offer the user an alternative.",
        "inform_answer": "Tell the user the answer.", "inform_count": "Tell the user how many results were found.",
        "inform_status": "Tell the user the current status.", "inform_unavailable": "Tell the user that it is not available.",
        "notify_success": "Tell the user that it worked.", "notify_failure": "Tell the user that it failed.",
        "report_progress": "Report the progress so far.", "refuse_request": "Refuse a request that is out of scope.",
        "escalate_to_human": "Hand over to a human agent.", "repeat_message": "Repeat the last message.",
        "plan_task": "Plan the steps of the task.", "start_task": "Begin the next task.", "pause_task": "Pause the task.",
        "resume_task": "Resume the paused task.", "finish_task": "Finish the task.", "skip_step": "Skip this step.",
        "undo": "Undo the last action.", "redo": "Redo the last undone action.", "delegate_task": "Delegate the task to another agent.",
        "handle_error": "Handle an error.", "save_progress": "Save the progress of the task.",
    },
    "interaction write": {
        "call_function": "Call a function or API.", "evaluate_condition": "Branch on a condition.", "loop_item": "Repeat for every item of a list.",
    },
}
